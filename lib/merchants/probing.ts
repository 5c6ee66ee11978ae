// The settings and findings of a probe, and the parts that its questions share.
import type { OperationName } from '../gateway/operations.ts';
import type { MerchantCredentials } from '../gateway/ports.ts';
import type { Profile } from '../gateway/profile.ts';
import type { ProbeAsker, ProbePorts } from './probe-asker.ts';

/** The settings of a probe, and the order that it starts. */
export interface ProbeOptions {
  readonly endpointId: string;
  readonly operation: OperationName;
  /** Fields of the order that is started: amount, currency and what the contract asks for. */
  readonly params: Readonly<Record<string, string>>;
  /** How long an order may take to become visible and final, in seconds. */
  readonly waitSeconds: number;
  /** Told of each line as it is known. */
  readonly onLine?: (line: ProbeLine) => void;
}

/** One finding. */
export interface ProbeLine {
  /** The question. */
  readonly topic: string;
  /** The gateway's behaviour. */
  readonly says: string;
  /** The answers that show it. */
  readonly evidence: string;
  /** `seen`: an answer shows it; `inferred`: it follows from answers; `not found out`: ask the gateway's manager. */
  readonly sure: 'seen' | 'inferred' | 'not found out';
  /** The part of the profile that follows from it. */
  readonly profile?: ProfilePart;
}

/** A part of a profile, as a secret has it. */
export type ProfilePart = Partial<
  Pick<
    Profile,
    | 'statusInquiry'
    | 'duplicateOrderCodes'
    | 'orderIdField'
    | 'signatureMethod'
    | 'transactionTypes'
    | 'doubtfulHttpStatuses'
  >
>;

/** The ports of a question: the gateway that it asks, and the report that it adds a line to. */
export interface Probing {
  readonly asker: ProbeAsker;
  readonly options: ProbeOptions;
  readonly credentials: MerchantCredentials;
  readonly ports: ProbePorts;
  /** Adds a line; one without a certainty is sure, as it was seen. */
  readonly tell: (line: Omit<ProbeLine, 'sure'> & Partial<Pick<ProbeLine, 'sure'>>) => void;
}
