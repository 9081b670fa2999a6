import fc from 'fast-check';
import { Decimal, renderJson, type JsonValue } from '../../domain/json';

// JSON cannot say -0, and says null for what is no number.
const plain = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

describe('renderJson', () => {
  it('writes what JSON.stringify writes', () => {
    fc.assert(
      fc.property(plain, (value) => {
        expect(renderJson(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('writes a decimal with its own text', () => {
    expect(renderJson({ amount: new Decimal('5000.00'), list: [new Decimal('0.10')] })).toBe(
      '{"amount":5000.00,"list":[0.10]}',
    );
  });

  it('leaves undefined fields out and keeps null', () => {
    expect(renderJson({ a: undefined, b: null, c: { d: undefined } })).toBe('{"b":null,"c":{}}');
  });
});
