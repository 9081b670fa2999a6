// Faults ordered for clients that cannot set a header.

import { dropFaults, listFaults, MAX_FAULTS } from '../../db/sandbox/faults';
import { FAULT_FORMS, type FaultyOperations } from '../../domain/fault';
import { invalidRequest, type Refusal } from '../../domain/refusal';
import { orUnknown } from '../../use-cases/requests/failures';
import { orderOperationFault, type RefusedFault } from '../../use-cases/sandbox/faults';
import { MISFITS } from '../middleware/sandbox-faults';
import { routesOf, type Route } from '../route';
import { success } from '../success';
import {
  droppedFaultsResponse,
  faultsResponse,
  orderedFaultResponse,
  orderFaultBody,
} from './schema';

export const MAY_BE_ORDERED =
  'The fault may have been ordered. List the faults before you repeat it.';
export const MAY_BE_DROPPED = 'The faults may have been deleted. Repeat the request.';

const on = routesOf('Sandbox');

export function sandboxFaultRoutes(operations: FaultyOperations): readonly Route[] {
  return [
    on.post('/sandbox/faults', {
      summary: 'Order a fault for the next requests of an operation',
      description:
        'For clients that cannot set the header `Sandbox-Fault`. The faults of an operation are used up in their order, by whichever request of the account comes next with a test key; one with the header uses up none. `in-progress` waits for a request with an `Idempotency-Key`, and answers each key once.',
      scope: 'sandbox',
      sandbox_only: true,
      body: orderFaultBody,
      status: 201,
      response: orderedFaultResponse,
      handler: async function createSandboxFault({ db }, { caller: { user_id }, body }) {
        const done = await orUnknown(MAY_BE_ORDERED, () =>
          orderOperationFault({ db, operations }, { user_id, ...body }),
        );
        if (!done.ok) throw refused(done);
        return success({ ...done.fault }, 201);
      },
    }),
    on.get('/sandbox/faults', {
      summary: 'The faults that are left, in their order',
      description: 'One that is used up is not listed any more.',
      sandbox_only: true,
      response: faultsResponse,
      handler: async function listSandboxFaults({ db }, { caller }) {
        const faults = await listFaults(db, caller.user_id);
        return success({ faults: faults.map((one) => ({ ...one })) });
      },
    }),
    on.del('/sandbox/faults', {
      summary: 'Delete all ordered faults',
      description: 'From then on nothing goes wrong on order, except by the header of a request.',
      scope: 'sandbox',
      sandbox_only: true,
      response: droppedFaultsResponse,
      handler: async function deleteSandboxFaults({ db }, { caller }) {
        const deleted = await orUnknown(MAY_BE_DROPPED, () => dropFaults(db, caller.user_id));
        return success({ deleted });
      },
    }),
  ];
}

function refused(refusal: RefusedFault): Refusal {
  switch (refusal.error) {
    case 'unknown_operation':
      return invalidRequest(
        'operation',
        'operation must be the method and the path of an operation as the OpenAPI document has them, such as POST /transfers or GET /transfers/{reference}.',
      );
    case 'unknown_fault':
      return invalidRequest('fault', `fault must be one of ${FAULT_FORMS}.`);
    case 'too_many':
      return invalidRequest(
        'operation',
        `An account has at most ${MAX_FAULTS} faults at once: delete them first.`,
      );
    case 'takes_no_key':
    case 'calls_no_gateway':
      return invalidRequest('fault', MISFITS[refusal.error](refusal.kind));
  }
}
