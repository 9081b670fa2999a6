// The path prefix of the API: written once, for the routes and the OpenAPI document.

/** Specification, header: every path is relative to an address that ends in this. */
export const PREFIX = '/api/public/v1';
