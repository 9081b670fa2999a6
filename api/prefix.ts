/** Specification, header: every path is relative to an address that ends in this. */
export const PREFIX = '/api/public/v1';
