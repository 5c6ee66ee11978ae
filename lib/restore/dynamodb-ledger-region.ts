// The Region of a ledger, written into its table under a key that no order can have. A copy of the table has it too. So it shows that a
// table was a ledger, and that a copy comes from another Region.
import type { Saying } from '../payout/operate/control.ts';
import type { SweepRound } from '../payout/inquire/due-work.ts';
import { type DynamoDbTable, itemAt, N, S, updateIf } from '../aws/dynamodb-table.ts';
import type { KnownTables } from './known-tables.ts';

/** The record of one table. */
export interface LedgerRegion {
  /** Marks the table as one of this Region. */
  stamp(): Promise<void>;
  /** True if the table was a ledger, or is the copy of one. */
  wasLedger(): Promise<boolean>;
  /** The Region in which this copy was the ledger; undefined if that is this one, or if the record names none. */
  movedFrom(): Promise<MovedFrom | undefined>;
  /** Records in this copy that no gateway takes a payment from that Region any more, and the proof. */
  noteRefused(region: string, proof: string, saying: Saying): Promise<void>;
}

const key = '~ledger';

/** The Region of one table. */
export function createLedgerRegion(table: DynamoDbTable): LedgerRegion {
  const { client, tableName } = table;
  const here = () => client.config.region();
  const read = () => itemAt(table, key);
  return {
    wasLedger: async () => (await read()) !== undefined,
    async movedFrom() {
      const item = await read();
      const region = item?.['inRegion']?.S;
      if (region === undefined || region === (await here())) return undefined;
      return { region, isRefused: item?.['refusedRegion']?.S === region };
    },
    async noteRefused(region, proof, { by, reason, atMs }) {
      const refused = { refusedRegion: S(region), refusedProof: S(proof), refusedBy: S(by) };
      await updateIf(client, tableName, { key, set: { ...refused, refusedWhy: S(reason), refusedAt: N(atMs) } });
    },
    async stamp() {
      const condition = 'attribute_not_exists(inRegion) OR inRegion <> :inRegion';
      await updateIf(client, tableName, { key, condition, set: { inRegion: S(await here()) } });
    },
  };
}

// The fence between a lost Region and the one that takes over. A Region that comes back has full queues and a ledger of its own. It would
// pay the orders that the other one has begun to pay: copies of a table know nothing of each other, and nothing in AWS prevents it. The
// gateway can prevent it: it refuses the keys that the lost Region signs with, or its addresses. Before that is known the copy does not
// become the ledger, so nothing is sent or asked by it. Then every inquiry comes after the last payment that the lost Region can have made,
// and "no such order" is the truth.

/** The Region that a copy of the ledger comes from. */
interface MovedFrom {
  readonly region: string;
  /** The gateways are known to refuse requests from there. */
  readonly isRefused: boolean;
}

/** True if a copy may become the ledger. */
export const mayTakeOver = (moved: MovedFrom | undefined): boolean => moved === undefined || moved.isRefused;

/** The round that stamps the known ledger, and no other table. */
export const regionRound =
  ({ stamp }: Pick<LedgerRegion, 'stamp'>, tables: KnownTables): SweepRound =>
  async () => {
    if ((await tables.verdict()).kind === 'known') await stamp();
    return {};
  };
