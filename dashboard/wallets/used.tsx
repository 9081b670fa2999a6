// Wallets of currencies that an account does not use are folded away.

import type { ComponentChildren } from 'preact';
import type { WalletRow } from '../../db/ledger/wallets';
import { useFrame } from '../frame';
import { WORDS } from './words';

/** The first of the currencies stands for all while none is used. In the sandbox each begins with a credit. */
export function isUsed(wallets: readonly WalletRow[], isSandbox: boolean) {
  const used = wallets.filter(({ version }) => version > (isSandbox ? 1n : 0n));
  const shown = new Set((used.length > 0 ? used : wallets.slice(0, 1)).map((one) => one.currency));
  return ({ currency }: Pick<WalletRow, 'currency'>): boolean => shown.has(currency);
}

/** Those of used currencies, and the others below a line that opens them. */
export function UsedFirst<Row extends Pick<WalletRow, 'currency'>>({
  rows,
  wallets,
  show,
}: {
  readonly rows: readonly Row[];
  readonly wallets: readonly WalletRow[];
  readonly show: (rows: readonly Row[]) => ComponentChildren;
}) {
  const { language, session } = useFrame();
  const used = isUsed(wallets, session?.environment === 'sandbox');
  const others = rows.filter((row) => !used(row));
  return (
    <>
      {show(rows.filter(used))}
      {others.length > 0 && (
        <details>
          <summary>{WORDS[language].unused}</summary>
          {show(others)}
        </details>
      )}
    </>
  );
}
