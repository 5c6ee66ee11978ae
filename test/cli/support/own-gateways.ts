// Gateways of a merchant's own, each of another kind: the one that `payouts local` serves, on ports of its own.
import { createServer as createTlsServer } from 'node:tls';
import { afterAll } from 'vitest';
import {
  plainApproval,
  type Scenario,
  type ScenarioFunction,
  scenarioWith,
} from '../../../lib/local/gateway/scenario.ts';
import { startGatewaySimulator } from '../../../lib/local/gateway/simulator.ts';
import { testCertificateKeyPem, testCertificatePem } from '../../local/gateway/support/tls-certificate.ts';
import { listening } from '../../support/raw-server.ts';

/** The merchant that they know. */
export const northwind = { login: 'northwind-login', controlKey: 'fake-control-key-northwind' };

const always = (scenario: Scenario) => (): ScenarioFunction => () => scenario;
const everySecond = (scenario: Scenario) => (): ScenarioFunction => {
  let requests = 0;
  return () => ((requests += 1) % 2 === 0 ? scenario : plainApproval);
};
const refusing = (type: 'error' | 'validation-error', code: number, message: string) =>
  scenarioWith({ answer: { kind: 'refused', type, code, message } });
const unknownAccount = refusing('validation-error', 8, 'Bank account is unknown 🏦');

/** What a gateway does with each order whose signature is right. */
const manners = {
  pays: always(plainApproval),
  'never tells an end': always(scenarioWith({ life: [] })),
  'says nothing': always(scenarioWith({ fault: { kind: 'stall', when: 'after' } })),
  'fails every second': everySecond(scenarioWith({ fault: { kind: 'http-error', status: 500, when: 'after' } })),
  'has no funds': always(refusing('error', 28, 'Insufficient funds')),
  'refuses every order': always(unknownAccount),
  'refuses every second': everySecond(unknownAccount),
};

/** What a merchant meets at the address. */
export type GatewayKind = keyof typeof manners | 'refuses signatures' | 'does not listen' | 'is not trusted';

/** Starts them; they end with the stories of the file. */
export function ownGateways() {
  const ends: (() => unknown)[] = [];
  afterAll(() => Promise.all(ends.map((end) => end())));
  return async (kind: GatewayKind): Promise<string> => {
    if (kind === 'does not listen') return 'http://127.0.0.1:9';
    if (kind === 'is not trusted') {
      const server = createTlsServer({ key: testCertificateKeyPem, cert: testCertificatePem });
      ends.push(() => server.close());
      return `https://127.0.0.1:${await listening(server)}`;
    }
    const isStranger = kind === 'refuses signatures';
    const gateway = await startGatewaySimulator({
      merchants: isStranger ? [] : [northwind],
      scenario: manners[isStranger ? 'pays' : kind](),
    });
    ends.push(gateway.close);
    return gateway.url;
  };
}
