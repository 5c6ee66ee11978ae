/** A key that seals bodies for an hour. */
export interface DataKey {
  /** 256 bits. */
  readonly plain: Uint8Array;
  /** The same key wrapped, as it is kept beside the bodies that it has sealed (base64url): without the right to unwrap, it is useless. */
  readonly wrapped: string;
}

/** The keys under which waiting bodies are sealed. Operators do not have them. */
export interface DataKeys {
  /** The key of this hour. Rejects while there is none to be had. */
  current(): Promise<DataKey>;
  /** A wrapped key in plain. Rejects where it can't be unwrapped now, or ever. */
  unwrap(wrapped: string): Promise<Uint8Array>;
  /** False while no key is to be had; without a call where the last one was answered. Never rejects. */
  answers(): Promise<boolean>;
}
