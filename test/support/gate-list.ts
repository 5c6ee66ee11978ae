// The gates as the functions have them, for worlds of stories: the worker's list opens seals; without a decrypter it
// is the list of a tool that plans ahead.
import { approvalGate, type Approvals, closedApprovalGate } from '../../lib/batches/approval.ts';
import { cardDataGate, type CardDecrypter, closedCardDataGate } from '../../lib/card-data/open-card-data.ts';
import { type Gates, type KernelGatePorts, kernelGates } from '../../lib/payout/gates.ts';

/** The ports of the gates. */
export interface GateListPorts extends KernelGatePorts {
  readonly approvals: Approvals;
  /** Absent if no seal may be opened. */
  readonly cardDecrypter?: CardDecrypter;
}

/** Every gate. */
export function gateListOf({ approvals, cardDecrypter, ...kernel }: GateListPorts): Gates {
  return {
    'card-data': cardDecrypter ? cardDataGate({ cardDecrypter }) : closedCardDataGate,
    approval: cardDecrypter ? approvalGate(approvals) : closedApprovalGate(approvals),
    ...kernelGates(kernel),
  };
}
