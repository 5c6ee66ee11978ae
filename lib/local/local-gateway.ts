// The simulator for a local run: its merchants are those of the secrets, known by their public keys alone.
import { createPublicKey } from 'node:crypto';
import { withoutCardData } from '../gateway/redact.ts';
import type { ReportedPayment } from './run-books.ts';
import type { SimulatorMerchant } from './gateway/authentication.ts';
import { type FaultScheduleName, faultSchedules } from './gateway/fault-schedules.ts';
import { type GatewaySimulator, startGatewaySimulator } from './gateway/simulator.ts';
import type { SimulatorOptions } from './gateway/simulator-options.ts';
import type { MerchantSecrets } from './sample-merchants.ts';

/** Settings that may differ from run to run. */
interface LocalGatewayOptions extends Pick<SimulatorOptions, 'latencyMs'> {
  /** The seed of the fault schedule's chance. */
  readonly seed?: string;
  /** The share of requests that meet a fault, 0 to 1; the schedule's own when absent. */
  readonly faultShare?: number;
  /** The schedule is changed while it runs: profiles say then what any of them needs to be said. */
  readonly isSwitchable?: boolean;
}

/** The simulator, and its merchants' secrets. */
export type LocalGateway = Awaited<ReturnType<typeof startLocalGateway>>;

/** Starts the simulator on a free port. Its merchants are enrolled then: their secrets hold its address. */
export async function startLocalGateway(
  faults: FaultScheduleName,
  secretsFor: (url: string) => Promise<Readonly<Record<string, MerchantSecrets>>>,
  { seed = 'local', faultShare: share, isSwitchable = false, ...more }: LocalGatewayOptions = {},
) {
  let now = faults;
  const scenarioOf = () => faultSchedules[now].makeScenario({ seed, nowMs: Date.now, share });
  let scenario = scenarioOf();
  const choices = Object.entries(faultSchedules).map(([name, { description }]) => ({ name, description }));
  /** The simulator as the console shows it, after the change that it asks for. */
  const desk = (body: unknown): object => {
    const asked: unknown = body === undefined ? undefined : Object(body).faults;
    if (asked !== undefined) void setFaults(nameIn(asked));
    // Any program of this machine may ask here: none is shown card data.
    const recent = simulator.seen().map((it) => ({ ...it, baseString: withoutCardData(it.baseString) }));
    return { faults: now, choices, counts: simulator.requests(), recent };
  };
  const simulator = await startGatewaySimulator({
    merchants: [],
    scenario: (request) => scenario(request),
    desk: isSwitchable ? desk : undefined,
    ...more,
  });
  const { url } = simulator;
  const chosen = isSwitchable ? Object.values(faultSchedules) : [faultSchedules[faults]];
  const secrets = withProfile(await secretsFor(url), Object.assign({}, ...chosen.map(({ profile }) => profile)));
  Object.values(secrets).flatMap(merchantOf).forEach(simulator.enrol);
  /** From the next request on. */
  const setFaults = async (name: FaultScheduleName): Promise<void> => {
    now = name;
    scenario = scenarioOf();
    const { settings, closedMs } = faultSchedules[name];
    simulator.change({ duplicateOrderIds: 'accepted', statusVisibilityDelayMs: 0, ...settings });
    if (closedMs !== undefined) await closeFor(closedMs, simulator);
  };
  await setFaults(faults);
  return { url, secrets, simulator };
}

function nameIn(asked: unknown): FaultScheduleName {
  if (typeof asked !== 'string' || !Object.hasOwn(faultSchedules, asked)) throw new RangeError('no such faults');
  return asked as FaultScheduleName;
}

/** The port is closed for a while; a simulator that was closed meanwhile stays so. */
async function closeFor(durationMs: number, simulator: GatewaySimulator): Promise<void> {
  await simulator.pause();
  setTimeout(() => void simulator.resume(), durationMs).unref();
}

/** The secrets with what is said of the gateway in their profiles; a profile's own values win. */
function withProfile(
  secrets: Readonly<Record<string, MerchantSecrets>>,
  said: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, MerchantSecrets>> {
  if (Object.keys(said).length === 0) return secrets;
  return Object.fromEntries(
    Object.entries(secrets).map(([name, { contract, keys }]) => {
      const { profile } = contract;
      const own = typeof profile === 'object' ? profile : {};
      return [name, { contract: { ...contract, profile: { ...said, ...own } }, keys }];
    }),
  );
}

function merchantOf({ contract, keys }: MerchantSecrets): SimulatorMerchant[] {
  const { login } = contract;
  if (typeof login !== 'string') return [];
  const { controlKey, privateKey } = keys[login] ?? {};
  const pem = typeof privateKey === 'string' ? privateKey.replaceAll('\\n', '\n') : undefined;
  const publicKeyPem = pem && createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString();
  return [{ login, controlKey: typeof controlKey === 'string' ? controlKey : '', publicKeyPem }];
}

/** The simulator's own report: the payments that it took, under the merchants' own names. */
export function reportedPayments(
  simulator: GatewaySimulator,
  secrets: Readonly<Record<string, MerchantSecrets>>,
): ReportedPayment[] {
  const merchants = new Map(Object.entries(secrets).map(([merchant, { contract }]) => [contract['login'], merchant]));
  return simulator.orders().flatMap(({ login, clientOrderId: orderId, accepted, amount, currency, ...it }) => {
    if (!accepted || amount === undefined || currency === undefined) return [];
    const { gatewayOrderId, status } = it;
    return [{ merchant: merchants.get(login) ?? login, orderId, gatewayOrderId, amount, currency, status }];
  });
}
