/** Proves that a message was made here, and hides what no history may reveal. */
export interface Sealed {
  /**
   * The hidden fields, encrypted, in base64. It opens only beside the fields with which it was made.
   */
  readonly sealed: string;
}
