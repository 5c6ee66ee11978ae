// Pauses, called-off batches and money in doubt, in the table of controls, which also holds lanes and day totals.
import { type Controls, type ControlsAdmin, doubtServesMs, type Saying } from '../payout/operate/control.ts';
import { type Item, itemAt, N, S, type TimedTable, updateIf } from './dynamodb-table.ts';
import { createTtlCache } from '../payout/ttl-cache.ts';

/** How long a control that was read is used: a pause must stop new submissions within seconds. */
const servesMs = 3_000;
/** Controls kept in memory; a process sees many batches. */
const keptAtMost = 2_000;
const merchantKey = (merchant: string) => `~control/${merchant}`;
const everyMerchant = '*';
const batchKey = (batchId: string) => `~batch/${batchId}`;

/** Controls over one table, to read and to set. */
export function createDynamoDbControls(options: TimedTable): Controls & ControlsAdmin {
  const { client, tableName, nowMs } = options;
  const { of: read, forget } = createTtlCache({ read: controlAt, servesMs, keptAtMost, nowMs });
  let recordedBefore: ReadonlyMap<string, Sums> = new Map();

  /** Empty if no control was set. */
  async function controlAt(key: string): Promise<Item> {
    return (await itemAt(options, key, { mayLag: true })) ?? {};
  }

  async function update(key: string, set: Item): Promise<void> {
    await updateIf(client, tableName, { key, set });
    // A process that sets a control must then read the new one: the console shows it.
    forget(key);
  }

  return {
    async of(merchant, batchId) {
      const [everyone, ofMerchant, batch] = await Promise.all([
        read(merchantKey(everyMerchant)),
        read(merchantKey(merchant)),
        batchId === undefined ? undefined : read(batchKey(batchId)),
      ]);
      return {
        paused: [everyone, ofMerchant].some(({ paused }) => paused?.BOOL === true),
        batchCancelled: batch !== undefined && isCalledOff(batch),
        doubt: doubtIn(ofMerchant, nowMs()),
      };
    },
    pause: (merchant = everyMerchant, paused, saying) =>
      update(merchantKey(merchant), { paused: { BOOL: paused }, ...attributesOf(saying) }),
    async pauseOf(merchant = everyMerchant) {
      const { paused, by, why, at } = await controlAt(merchantKey(merchant));
      return paused?.BOOL === true && at ? { by: by?.S ?? '', reason: why?.S ?? '', atMs: Number(at.N) } : undefined;
    },
    cancelBatch: (batchId, saying) => update(batchKey(batchId), { cancelled: { BOOL: true }, ...attributesOf(saying) }),
    isCalledOff: async (batchId) => isCalledOff(await read(batchKey(batchId))),
    async recordDoubt(doubt, isWhole = true) {
      // Merchants recorded before by this process get an empty doubt; those of other processes expire.
      const recorded = new Map(
        [...recordedBefore.keys()].map((merchant) => [merchant, isWhole ? {} : (recordedBefore.get(merchant) ?? {})]),
      );
      for (const [merchant, sums] of doubt)
        recorded.set(merchant, isWhole ? sums : larger(recorded.get(merchant), sums));
      for (const [merchant, sums] of recorded) {
        const M = Object.fromEntries(Object.entries(sums).map(([currency, units]) => [currency, { N: String(units) }]));
        await update(merchantKey(merchant), { doubt: { M }, doubtAt: N(nowMs()) });
      }
      recordedBefore = isWhole ? doubt : recorded;
    },
  };
}

type Sums = Readonly<Record<string, bigint>>;

/** The larger sum of each currency. */
function larger(before: Sums = {}, now: Sums): Sums {
  const more = Object.entries(now).filter(([currency, units]) => units > (before[currency] ?? 0n));
  return { ...before, ...Object.fromEntries(more) };
}

const isCalledOff = ({ cancelled }: Item): boolean => cancelled?.BOOL === true;

function attributesOf({ by, reason, atMs }: Saying): Item {
  return { by: S(by), why: S(reason), at: N(atMs) };
}

/** The recorded doubt; empty if it is older than `doubtServesMs`. */
function doubtIn({ doubt, doubtAt }: Item, nowMs: number): Sums {
  if (Number(doubtAt?.N ?? 0) <= nowMs - doubtServesMs) return {};
  return Object.fromEntries(
    Object.entries(doubt?.M ?? {}).map(([currency, { N = '0' }]) => [currency, BigInt(N)] as const),
  );
}
