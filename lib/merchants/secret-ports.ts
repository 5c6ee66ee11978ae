// Merchants' secrets as their operator uses them: by stages, of which the worker knows AWSCURRENT alone.
import type { MerchantCredentials } from '../gateway/ports.ts';

/** The stages of a secret: what counts, what is to count next, what counted before. */
export const secretStages = ['AWSCURRENT', 'AWSPENDING', 'AWSPREVIOUS'] as const;

/** The name of a stage. */
export type SecretStage = (typeof secretStages)[number];

/** One stored version of a merchant's keys, beside its present contract. */
export interface StoredSecret {
  readonly version: string;
  readonly contract: string;
  /** The keys. Secret: never to be shown, logged or put into an error. */
  readonly text: string;
  /** The worker's reading of both, or the fault that it names. */
  readonly read:
    | { readonly kind: 'credentials'; readonly credentials: MerchantCredentials }
    | { readonly kind: 'fault'; readonly message: string };
}

/** Secrets Manager's side of it. */
export interface SecretAdmin {
  /** Undefined if there is no contract, or nothing under the stage of its keys. */
  read(merchant: string, stage: SecretStage): Promise<StoredSecret | undefined>;
  /** Stores a further version under AWSPENDING, taking the label from another one; answers with its id. */
  stage(merchant: string, text: string): Promise<string>;
  /** Moves AWSCURRENT, if `from` still has it; the version that loses it becomes AWSPREVIOUS. */
  promote(merchant: string, move: { readonly from: string; readonly to: string }): Promise<'moved' | 'overtaken'>;
}

/** Makes RSA key pairs: PKCS#8 in PEM. */
export interface KeyMaker {
  newPrivateKey(bits: number): Promise<string>;
}
