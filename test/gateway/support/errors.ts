import { GatewayError } from '../../../domain/gateway-error';

/** The error that a call of an adapter ends with, which has to be one of the ports'. */
export async function errorOf(call: Promise<unknown>): Promise<GatewayError> {
  const thrown: unknown = await call.then(
    (value) => value,
    (error: unknown) => error,
  );
  if (thrown instanceof GatewayError) return thrown;
  throw new Error(`No GatewayError: ${String(thrown)}`, { cause: thrown });
}
