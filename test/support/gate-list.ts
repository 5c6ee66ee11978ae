// The gates as the functions put them together, for worlds of stories: the worker's list opens seals; without a decrypter it
// is the list of whoever plans ahead.
import { approvalGate, type Approvals, closedApprovalGate } from '../../lib/batches/approval.ts';
import { cardDataGate, type CardDecrypter, closedCardDataGate } from '../../lib/card-data/open-card-data.ts';
import { type Gate, inGateOrder, type KernelGatePorts, kernelGates } from '../../lib/payout/gates.ts';

/** What the gates ask. */
export interface GateListPorts extends KernelGatePorts {
  readonly approvals: Approvals;
  /** Absent where nobody may open a seal. */
  readonly cardDecrypter?: CardDecrypter;
}

/** Every gate, in its order. */
export function gateListOf({ approvals, cardDecrypter, ...kernel }: GateListPorts): readonly Gate[] {
  const { credentials } = kernel;
  return inGateOrder({
    'card-data': cardDecrypter ? cardDataGate({ credentials, cardDecrypter }) : closedCardDataGate({ credentials }),
    approval: cardDecrypter ? approvalGate(approvals) : closedApprovalGate(approvals),
    ...kernelGates(kernel),
  });
}
