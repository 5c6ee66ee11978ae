// The ports of the acts on merchants, beside the operator's own.
import type { ApprovalCheck, ApprovalMaker } from '../batches/approval.ts';
import type { SafeguardsStore } from '../batches/safeguards.ts';
import type { CardRing } from '../card-data/secrets-manager-keyring.ts';
import type { RotatePorts } from '../merchants/rotate-key.ts';
import type { CallbackDesk } from '../merchants/secrets-manager-callback-desk.ts';

/** What the acts on merchants need beside the operator's port. */
export interface MerchantPorts extends RotatePorts {
  readonly safeguards: SafeguardsStore;
  readonly macs: ApprovalCheck;
  /** For approvers alone. */
  readonly maker: ApprovalMaker;
  readonly identity: { whoAmI(): Promise<string> };
  readonly callbackDesk: CallbackDesk;
  readonly cardRing: CardRing;
}
