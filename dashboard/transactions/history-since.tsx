// Histories whose first months were dropped say so (use-cases/transactions/history-since.ts).

import type { JSX } from 'preact';
import type { Db } from '../../db/connect';
import { formatDay } from '../../pages/formats';
import { historySince } from '../../use-cases/transactions/history-since';
import { useFrame } from '../frame';
import { Notice } from '../parts';
import { WORDS } from './words';

export async function showHistorySince({ db }: { readonly db: Db }): Promise<JSX.Element | null> {
  const since = await historySince(db);
  return since === undefined ? null : <Since at={since} />;
}

function Since({ at }: { readonly at: string }): JSX.Element {
  const { language } = useFrame();
  return <Notice>{WORDS[language].history_since(formatDay(language, at))}</Notice>;
}
