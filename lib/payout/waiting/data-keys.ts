/** A key that seals bodies for an hour. */
export interface DataKey {
  /** 256 bits. */
  readonly plain: Uint8Array;
  /** The same as it may be kept beside what it has sealed (base64url): whoever may not unwrap it learns nothing. */
  readonly wrapped: string;
}

/** Keys under which what waits is sealed. Operators do not have them. */
export interface DataKeys {
  /** The key of this hour. Rejects while there is none to be had. */
  current(): Promise<DataKey>;
  /** A wrapped key in plain. Rejects where it can't be unwrapped now, or ever. */
  unwrap(wrapped: string): Promise<Uint8Array>;
  /** False while none is to be had; without a call where the last one was answered. Never rejects. */
  answers(): Promise<boolean>;
}
