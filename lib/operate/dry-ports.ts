// The ports of an operator who only tries: they read as ever, and write and publish nothing.
import type { OperatorPorts } from './operator.ts';

/** A decision over them ends as it would, and leaves no trace. */
export function dryPorts(ports: OperatorPorts): OperatorPorts {
  const { orders, waiting, results, controlsAdmin, lanes, redrives, ledger } = ports;
  const written = async () => ({ kind: 'written' }) as const;
  const none = async () => {};
  const taken = async () => new Set<number>();
  const dryOrders = { ...orders, write: written, markPublished: none };
  const dryResults = { ...results, send: taken };
  return {
    ...ports,
    orders: dryOrders,
    results: dryResults,
    waiting: { ...waiting, jobs: { ...waiting.jobs, move: async () => true } },
    controlsAdmin: { ...controlsAdmin, pause: none, cancelBatch: none },
    ledger: { ...ledger, tables: { ...ledger.tables, store: async () => true } },
    lanes: { ...lanes, write: async () => 'written' },
    redrives: {
      ...redrives,
      orders: dryOrders,
      results: dryResults,
      deadLetters: { ...redrives.deadLetters, send: taken, remove: taken },
    },
  };
}

/** The same, and nothing is asked of the gateway. */
export function glancingPorts(ports: OperatorPorts): OperatorPorts {
  const credentials: OperatorPorts['credentials'] = {
    ...ports.credentials,
    async of(merchant) {
      const answer = await ports.credentials.of(merchant);
      if (answer.kind !== 'credentials') return answer;
      const profile = { ...answer.credentials.profile, statusInquiry: false };
      return { ...answer, credentials: { ...answer.credentials, profile } };
    },
  };
  return dryPorts({ ...ports, credentials });
}
