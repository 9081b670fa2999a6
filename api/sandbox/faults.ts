// Faults ordered for clients that cannot set a header.

import { dropFaults, listFaults, MAX_FAULTS, orderFault } from '../../db/sandbox/faults';
import { FAULT_FORMS, readFault } from '../../domain/fault';
import { invalidRequest } from '../../domain/refusal';
import { orUnknown } from '../../use-cases/requests/failures';
import type { Handler } from '../context';
import { misfitOf } from '../middleware/sandbox-faults';
import { operationOf, route, type Route } from '../route';
import { success } from '../success';
import {
  type OrderFaultBody,
  droppedFaultsResponse,
  faultsResponse,
  orderedFaultResponse,
  orderFaultBody,
} from './schema';

export const MAY_BE_ORDERED =
  'The fault may have been ordered. List the faults before you repeat it.';
export const MAY_BE_DROPPED = 'The faults may have been deleted. Repeat the request.';

/** Those of the sandbox itself are left out: whoever orders a fault must be able to take it back. */
export function sandboxFaultRoutes(others: readonly Route[]): readonly Route[] {
  const operations = new Map(
    others.filter(({ rate }) => rate !== null).map((one) => [operationOf(one), one]),
  );

  const createSandboxFault: Handler<unknown, OrderFaultBody> = async (
    { db },
    { caller, body: { operation, fault, times } },
  ) => {
    const named = operations.get(operation);
    if (!named) {
      throw invalidRequest(
        'operation',
        'operation must be the method and the path of an operation as the OpenAPI document has them, such as POST /transfers or GET /transfers/{reference}.',
      );
    }
    const read = readFault(fault);
    if (!read) throw invalidRequest('fault', `fault must be one of ${FAULT_FORMS}.`);
    const misfit = misfitOf(named, read.kind);
    if (misfit !== undefined) throw invalidRequest('fault', misfit);
    const ordered = await orUnknown(MAY_BE_ORDERED, () =>
      orderFault(db, caller.user_id, { operation, fault, times }),
    );
    if (!ordered) {
      throw invalidRequest(
        'operation',
        `An account has at most ${MAX_FAULTS} faults at once: delete them first.`,
      );
    }
    return success({ ...ordered }, 201);
  };

  return [
    route({
      method: 'POST',
      path: '/sandbox/faults',
      tag: 'Sandbox',
      summary: 'Order a fault for the next requests of an operation',
      description:
        'For clients that cannot set the header `Sandbox-Fault`. The faults of an operation are used up in their order, by whichever request of the account comes next with a test key; one with the header uses up none. `in-progress` waits for a request with an `Idempotency-Key`, and answers each key once.',
      rate: 'write',
      scope: 'sandbox',
      sandbox_only: true,
      body: orderFaultBody,
      status: 201,
      response: orderedFaultResponse,
      handler: createSandboxFault,
    }),
    route({
      method: 'GET',
      path: '/sandbox/faults',
      tag: 'Sandbox',
      summary: 'The faults that are left, in their order',
      description: 'One that is used up is not listed any more.',
      rate: 'read',
      sandbox_only: true,
      response: faultsResponse,
      handler: listSandboxFaults,
    }),
    route({
      method: 'DELETE',
      path: '/sandbox/faults',
      tag: 'Sandbox',
      summary: 'Delete all ordered faults',
      description: 'From then on nothing goes wrong on order, except by the header of a request.',
      rate: 'write',
      scope: 'sandbox',
      sandbox_only: true,
      response: droppedFaultsResponse,
      handler: deleteSandboxFaults,
    }),
  ];
}

const listSandboxFaults: Handler = async ({ db }, { caller }) => {
  const faults = await listFaults(db, caller.user_id);
  return success({ faults: faults.map((one) => ({ ...one })) });
};

const deleteSandboxFaults: Handler = async ({ db }, { caller }) => {
  const deleted = await orUnknown(MAY_BE_DROPPED, () => dropFaults(db, caller.user_id));
  return success({ deleted });
};
