// `payouts lanes`: one place to look at what holds payments up, and to say what is to become of it.
// Exit codes: 0 done, 1 it could not be done as asked or there is no such lane, 2 bad input.
import { newDynamoDbClient } from '../../aws/dynamodb-client.ts';
import { createDynamoDbControls } from '../../aws/dynamodb-controls.ts';
import { createDynamoDbLanes } from '../../aws/dynamodb-lanes.ts';
import { controlsTable } from '../../aws/dynamodb-table.ts';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-client.ts';
import { createSecretsManagerCredentials } from '../../aws/secrets-manager-credentials.ts';
import { systemClock } from '../../aws/system.ts';
import { redact } from '../../gateway/redact.ts';
import { couldBear } from '../../payout/job.ts';
import { type LaneName, type Lanes, type LaneState, newLane } from '../../payout/lane.ts';
import { pausedLane, probedNow, resumedLane } from '../../payout/lane-brake.ts';
import { configured, type OperatorOptions, pause, say, setPause } from '../orders/operator-commands.ts';
import { UsageError } from '../usage-error.ts';
import { laneLines, lanesAsText } from './lane-text.ts';
import { type LaneFacts, laneView } from '../../payout/lane-view.ts';
import { whoDecides } from '../orders/who-decides.ts';
import { silentLog } from '../../aws/cloudwatch-lines.ts';

/** The command line of `payouts lanes` and of what is under it. */
export interface LanesOptions extends OperatorOptions {
  readonly endpoint?: string;
}

function createLanePorts(config: WorkerConfig) {
  const { limits, secretPrefix: prefix } = config;
  const aws = { limits };
  const table = controlsTable(config, newDynamoDbClient(aws));
  const secrets = { prefix, ttlMs: limits.credentialsTtlMs, clock: systemClock, log: silentLog };
  return {
    lanes: createDynamoDbLanes(table),
    controls: createDynamoDbControls(table),
    credentials: createSecretsManagerCredentials({ ...secrets, client: newSecretsManagerClient(aws) }),
  };
}

type LanePorts = ReturnType<typeof createLanePorts>;

/** `payouts lanes`: every lane, those that stand first. */
export async function showLanes(options: LanesOptions): Promise<number> {
  const ports = configured(createLanePorts);
  const nowMs = systemClock.nowMs();
  const found = await ports.lanes.all();
  const views = await Promise.all(found.map(async (lane) => laneView(await factsOf(lane, ports), nowMs)));
  say(options, views, lanesAsText(views, nowMs));
  return 0;
}

async function factsOf(lane: LaneName & { readonly state: LaneState }, ports: LanePorts): Promise<LaneFacts> {
  const { merchant } = lane;
  const [control, answer, own, all] = await Promise.all([
    ports.controls.of(merchant),
    ports.credentials.of(merchant),
    ports.controls.pauseOf(merchant),
    ports.controls.pauseOf(undefined),
  ]);
  const pausedBy = all ?? own;
  const profile = answer.kind === 'credentials' ? answer.credentials.profile : undefined;
  return {
    ...lane,
    control,
    ...(pausedBy && { pausedBy }),
    areAllPaused: all !== undefined,
    ...(profile && { profile }),
  };
}

/** `payouts lanes pause`: of all endpoints by the merchant's pause, of one by its lane. */
export async function pauseLanes(merchant: string, options: LanesOptions): Promise<number> {
  const { endpoint } = options;
  if (endpoint === undefined) return pause(merchant, true, options);
  const lane = laneOf(merchant, endpoint);
  const { lanes } = configured(createLanePorts);
  const nowMs = systemClock.nowMs();
  const saying = { by: await whoDecides(options), reason: redact(options.reason ?? '', []), atMs: nowMs };
  // Before its first job too: whoever waits for a new endpoint must be able to close it first.
  let isNew = false;
  await changed(lane, lanes, (state) => {
    isNew = state === undefined;
    return pausedLane(state ?? newLane({}, nowMs), saying);
  });
  const doubt = isNew ? `; nothing was ever sent there: is that the endpoint? ${laneLines}` : '';
  const text = `${merchant} at ${endpoint}: paused; nothing new is sent there within 10 seconds, jobs wait${doubt}`;
  say(options, { ...lane, outcome: 'paused' }, text);
  return 0;
}

/** `payouts lanes resume`: the merchant's pause ends, and its lanes open; one that was paused by its endpoint needs that. */
export async function resumeLanes(merchant: string, options: LanesOptions): Promise<number> {
  const { endpoint } = options;
  if (endpoint === undefined && (await setPause(merchant, false, options)) !== 'done') return 1;
  const { lanes, controls } = configured(createLanePorts);
  const chosen = await lanesOf(merchant, endpoint, lanes);
  if (endpoint !== undefined && chosen.length === 0) return none(merchant, endpoint, options);
  const isKept = ({ state }: { readonly state: LaneState }) => endpoint === undefined && state.paused !== undefined;
  for (const lane of chosen.filter((it) => !isKept(it)))
    await changed(lane, lanes, (state) => state && resumedLane(state, systemClock.nowMs()));
  const kept = chosen.filter(isKept).map(({ endpointId }) => endpointId);
  const ends = kept.map((it) => `; ${it} stays paused, as it was by its own name: say --endpoint ${it}`);
  const { paused } = await controls.of(merchant);
  const whose = endpoint === undefined ? '' : ` ${merchant}`;
  if (paused) ends.push(`; the merchant itself stays paused: \`npx payouts resume${whose}\``);
  const still = ends.join('');
  const what = {
    merchant,
    ...(endpoint !== undefined && { endpointId: endpoint }),
    outcome: 'resumed',
    stillPaused: kept,
    merchantPaused: paused,
  };
  say(options, what, `${merchant}${endpoint === undefined ? '' : ` at ${endpoint}`}: resumed${still}`);
  return 0;
}

/** `payouts lanes probe`: the next order that asks is sent, whatever the brake says; one at a time. */
export async function probeLanes(merchant: string, options: LanesOptions): Promise<number> {
  const { endpoint } = options;
  const { lanes } = configured(createLanePorts);
  const chosen = await lanesOf(merchant, endpoint, lanes);
  if (chosen.length === 0) return none(merchant, endpoint, options);
  const closed = chosen.filter(({ state }) => state.closed);
  for (const lane of closed) await changed(lane, lanes, (state) => state && probedNow(state, systemClock.nowMs()));
  const names = closed.map(({ endpointId }) => endpointId);
  const paused = chosen.filter(({ state }) => state.paused).map(({ endpointId }) => endpointId);
  const stops = paused
    .map((it) => `; ${it} is paused: \`npx payouts lanes resume ${merchant} --endpoint ${it}\``)
    .join('');
  const text =
    names.length === 0
      ? `${merchant}: no lane of it is closed, so there is nothing to try${stops}`
      : `${merchant} at ${names.join(', ')}: the next order that comes back is the probe`;
  say(options, { merchant, outcome: names.length === 0 ? 'not-closed' : 'probing', endpoints: names }, text);
  return names.length === 0 ? 1 : 0;
}

function none(merchant: string, endpoint: string | undefined, options: LanesOptions): number {
  const where = endpoint === undefined ? merchant : `${merchant} at ${endpoint}`;
  say(
    options,
    { merchant, outcome: 'no-lane' },
    `there is no lane of ${where}: nothing was ever sent there. ${laneLines}`,
  );
  return 1;
}

function laneOf(merchant: string, endpointId: string): LaneName {
  if (!couldBear({ merchant, endpointId }))
    throw new UsageError(`no job could bear the names "${merchant}" and "${endpointId}"`);
  return { merchant, endpointId };
}

async function lanesOf(merchant: string, endpoint: string | undefined, lanes: Lanes) {
  const name = laneOf(merchant, endpoint ?? '0');
  const all = await lanes.all();
  return all.filter((it) => it.merchant === merchant && (endpoint === undefined || it.endpointId === name.endpointId));
}

/** Workers write all the time: who was slower takes what stands there, and says it again. */
const roundsAtMost = 10;

async function changed(
  { merchant, endpointId }: LaneName,
  lanes: Lanes,
  change: (state: LaneState | undefined) => LaneState | undefined,
): Promise<void> {
  const lane = { merchant, endpointId };
  let standing = await lanes.read(lane);
  for (let round = 0; round < roundsAtMost; round += 1) {
    const next = change(standing);
    if (!next) return;
    const written = await lanes.write(lane, { ...next, version: (standing?.version ?? 0) + 1 });
    if (written === 'written') return;
    standing = written;
  }
  throw new Error(`${merchant} at ${endpointId}: too many workers write at once; say it again`);
}
