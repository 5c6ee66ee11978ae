// Safeguards in memory: the records by merchant, and the merchants of logins. The table can be down.
import {
  writeSafeguards,
  type SafeguardsChange,
  type SafeguardsStore,
  type StoredSafeguards,
} from '../../lib/batches/safeguards.ts';
import { anApprovalKey } from './approvals.ts';
import { startMs } from './time-and-chance.ts';

/** Who has written them, and when. */
export const saidBy = { by: 'arn:aws:iam::1:user/grace', atMs: startMs };

export function createMemorySafeguards(place = 'batches') {
  const items = new Map<string, StoredSafeguards>();
  const owners = new Map<string, string>();
  const table = { reads: 0, isDown: false };
  const store: SafeguardsStore = {
    place,
    async read(merchant) {
      table.reads += 1;
      if (table.isDown) throw new Error('no answer');
      return items.get(merchant);
    },
    async write(merchant, next) {
      if (items.get(merchant)?.text !== next.earlier[0]) return false;
      items.set(merchant, next);
      return true;
    },
    ownerOf: async (login) => owners.get(login.toLowerCase()),
    async own(login, merchant) {
      const name = login.toLowerCase();
      if (!owners.has(name)) owners.set(name, merchant);
      return owners.get(name) === merchant;
    },
  };
  /** An approver's word, under a key that an approver may use. */
  const write = (
    merchant: string,
    its: Pick<SafeguardsChange, 'logins' | 'twoPersonRelease' | 'caps'>,
    maker = anApprovalKey(),
  ) => writeSafeguards(merchant, { ...its, ...saidBy }, { store, maker });
  return Object.assign(table, { items, store, write });
}
