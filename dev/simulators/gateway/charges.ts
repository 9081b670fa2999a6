// Asks phones for payments, once for each id, and sees them through. Decided and recorded as payments are
// (payments.ts): without waiting in between, and on disk before anything is answered.

import { renderJson } from '../../../domain/json';
import type { Environment } from '../../../domain/environment';
import { payingOutcomeOf } from '../../../domain/test-phones';
import { CHARGE_UPDATED } from '../../../gateway/sandbox/notification';
import { newId } from './actions';
import { beginCharge, pressOn } from './charge-courses';
import type { Charge, ChargeTerms, Press } from './charge-store';
import { copiesOf, type PayoutsParts } from './payouts';
import type { Decision } from './refunds';
import type { Notification } from './store';

export interface Charges {
  /** The same order again is the same charge, for ever. `is_new` when it was not asked for before. */
  begin(
    environment: Environment,
    terms: ChargeTerms & { readonly otp: string | null },
  ): Promise<Decision<{ readonly charge: Charge; readonly is_new: boolean }>>;
  find(environment: Environment, charge_id: string): Promise<Charge | undefined>;
  findOwn(provider_payment_id: string): Promise<Charge | undefined>;
  ofPhone(phone: string): Promise<readonly Charge[]>;
  /** Does what the phone's owner does. */
  press(charge: Charge, press: Press): Promise<Decision<Charge>>;
  /** Continues what was under way when the previous process ended. */
  resume(): void;
}

export function createCharges(parts: PayoutsParts): Charges {
  const { store, journal, notifier, timers, durations } = parts;
  const durable = async <Value>(value: Value): Promise<Value> => {
    await journal.flushed();
    return value;
  };
  const change = async (charge: Charge): Promise<void> => {
    const notifications = callbacksOf(charge);
    const entry = { entry: 'charge', charge, notifications } as const;
    store.apply(entry);
    journal.append(entry);
    await journal.flushed();
    for (const notification of notifications) notifier.send(notification);
    pressLater(charge);
  };
  const pressLater = ({ environment, charge_id, next }: Charge): void => {
    if (next === null) return;
    timers.at(next.at, async () => {
      const charge = store.charges.find(environment, charge_id)!;
      // A button was pressed in the meantime.
      if (charge.next === null) return;
      await change(pressOn(charge, next.press)!);
    });
  };

  return {
    async begin(environment, terms) {
      const same = store.charges.find(environment, terms.charge_id);
      if (same) {
        const fields = ['amount_minor', 'currency', 'operator', 'phone'] as const;
        const refused = 'The id was used for a charge of another amount or phone.';
        return durable(
          fields.every((field) => same[field] === terms[field])
            ? { ok: true, value: { charge: same, is_new: false } }
            : { ok: false, refused },
        );
      }
      const charge = beginCharge(environment, terms, durations);
      await change(charge);
      return { ok: true, value: { charge, is_new: true } };
    },
    find: (environment, charge_id) => durable(store.charges.find(environment, charge_id)),
    findOwn: (id) => durable(store.charges.findOwn(id)),
    ofPhone: (phone) => durable(store.charges.ofPhone(phone)),
    async press({ environment, charge_id }, press) {
      const charge = store.charges.find(environment, charge_id)!;
      const pressed = pressOn(charge, press);
      if (pressed === undefined) {
        const refused = `The charge is ${charge.status}: ${press} does not fit.`;
        return durable({ ok: false, refused });
      }
      await change(pressed);
      return { ok: true, value: pressed };
    },
    resume() {
      for (const charge of store.charges.waiting()) pressLater(charge);
    },
  };
}

/** The notifications of the end that a charge has just reached: one, but for the phones without or with two. */
function callbacksOf({ environment, charge_id, status, phone }: Charge): Notification[] {
  const copies = copiesOf(payingOutcomeOf(phone));
  if (status === 'waiting' || copies === 0) return [];
  const event_id = newId('evt');
  const body = renderJson({ event_id, type: CHARGE_UPDATED, environment, charge_id });
  return [{ event_id, environment, body, copies }];
}
