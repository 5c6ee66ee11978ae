// The first day (infra/docs/deploying.md) as an operator follows it, word for word, part by part: each block goes through a plain shell, with AWS's own
// command line and the tool, into moto; the worker's process serves as the functions, the simulator for the gateway. What
// people do between the parts (a mail, a key that is sent to the gateway's support) is done here.
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { startWorkerProcess } from '../../lib/local/worker-process.ts';
import { pageOf } from '../docs/pages.ts';
import { environmentOf, makeWorkerSecret, onlyMoto, pauseMappings, queuesOfMoto } from './moto-stack.ts';
import { commandsOf, follow, type PageEnd, prepareWalk } from './pages/walk.ts';

const [url, awsCli] = [inject('moto'), inject('awsCli')];
const own = { login: 'nobodys-login', controlKey: 'FAKE-control-key' };

const [, firstDay = ''] = pageOf('infra/docs/deploying.md').text.split(/^## (?=The first day$)/m);
/** The blocks of each part, by its heading; the first part is what the reader fills in. */
const parts = new Map(firstDay.split(/^### /m).map((part) => [part.split('\n')[0] ?? '', part]));

describe.skipIf(url === null || awsCli === null)('the first day', () => {
  let gateway: Awaited<ReturnType<typeof startLocalGateway>>;
  let worker: ReturnType<typeof startWorkerProcess> | undefined;
  let directory: string;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    gateway = await startLocalGateway('none', async () => ({}));
    directory = await mkdtemp(join(tmpdir(), 'payouts-first-day-'));
    const programs = await prepareWalk(directory, awsCli ?? '');
    env = {
      ...onlyMoto(url ?? ''),
      ...programs,
      AWS_EC2_METADATA_DISABLED: 'true',
    };
  });

  afterAll(async () => {
    await worker?.stop();
    await gateway?.simulator.close();
  });

  /** Follows a part in the shell of the parts before it, which has their functions too. */
  async function part(heading: string, edit = (script: string) => script): Promise<PageEnd> {
    const blocks = commandsOf(parts.get(heading) ?? '', 'blocks');
    expect(blocks.length).toBeGreaterThan(0);
    const script = blocks.map((block) => edit(`${block}\n`)).join('');
    const [, functions = ''] = /^(as\(\) \{[\s\S]*?^\}$)/m.exec(parts.get('Roles of people') ?? '') ?? [];
    const before = `if [ -f .shell ]; then . ./.shell; fi\n${functions}\n`;
    const after = `${queuesOfMoto(url ?? '')}export -p | grep -v WALKED_LOG > .shell\n`;
    const end = await follow(before + script + after, { directory, env });
    expect(end.stderr).not.toMatch(/parameter not set|unbound variable|not found/);
    return end;
  }

  /** No command of the part ended otherwise than well. */
  const faults = ({ commands, code, stderr }: PageEnd) => ({
    code: code === 0 ? 0 : stderr,
    commands: commands.filter((it) => it.code !== 0),
  });
  const well = { code: 0, commands: [] };

  /** The functions as they are deployed now. */
  async function startFunctions(): Promise<void> {
    await worker?.stop();
    await pauseMappings(url ?? '', 'trial');
    const settings = await environmentOf(url ?? '', 'payouts-trial-submit');
    const environment = {
      ...localWorkerLimits.environment,
      ...onlyMoto(url ?? ''),
      AWS_REGION: 'eu-central-1',
      ...settings,
    };
    worker = startWorkerProcess(environment, { logFile: join(directory, 'worker.log') });
  }

  const publicKey = () => readFile(join(directory, 'acme-eu.pub.pem'), 'utf8');
  const paid = () => gateway.simulator.orders().map(({ clientOrderId }) => clientOrderId);

  it('begins with what the reader has', { timeout: 180_000 }, async () => {
    const values: Readonly<Record<string, string>> = {
      GATEWAY: gateway.simulator.url,
      LOGIN: own.login,
      CONTROL_KEY: own.controlKey,
    };
    const put = (script: string) =>
      script.replaceAll(
        /^export (GATEWAY|LOGIN|CONTROL_KEY)=.*$/gm,
        (_, name: string) => `export ${name}='${values[name]}'`,
      );
    expect(faults(await part('The first day', put))).toEqual(well);
  });

  it('deploys, and finds the stack by its outputs', { timeout: 600_000 }, async () => {
    const end = await part('Deploy', (script) =>
      script.replace('node . todo --held', `${queuesOfMoto(url ?? '')}node . todo --held`),
    );
    expect(faults(end)).toEqual(well);
    await makeWorkerSecret(url ?? '', 'trial');
    await startFunctions();
  });

  it('makes the roles of people, and assumes one', { timeout: 180_000 }, async () => {
    const end = await part('Roles of people');
    expect(faults(end)).toEqual(well);
    expect(end.stdout).toContain('role/payouts-trial-approver');
  });

  it('subscribes', { timeout: 180_000 }, async () => {
    const end = await part('Subscribe');
    expect(faults(end)).toEqual(well);
    expect(end.stdout).toMatch(/you@example\.com\tarn:/);
  });

  it('puts the first merchant', { timeout: 180_000 }, async () => {
    const end = await part('The first merchant');
    expect(faults(end)).toEqual(well);
    expect(end.stdout).toMatch(/payouts\/trial\/keys\/acme-eu[\s\S]*privateKey: RSA, 4096 bits/);
    gateway.simulator.enrol({ ...own, publicKeyPem: await publicKey() });
  });

  it('pays the first job', { timeout: 240_000 }, async () => {
    const end = await part('The first job');
    expect(faults(end)).toEqual(well);
    expect(end.stdout).toMatch(
      /"orderId":"DAY-1"[\s\S]*"status":"accepted"|"status":"accepted"[\s\S]*"orderId":"DAY-1"/,
    );
    expect(paid()).toEqual(['DAY-1']);
  });

  it('hears the first alarm', { timeout: 240_000 }, async () => {
    const end = await part('The first alarm');
    expect(faults(end)).toEqual(well);
    expect(end.stdout).toContain('acme-eu/DAY-1-BROKEN');
  });

  it('rotates', { timeout: 240_000 }, async () => {
    const [make = '', activate = ''] = commandsOf(parts.get('Rotate') ?? '', 'blocks');
    expect(faults(await part('Rotate', (script) => (script.startsWith(make) ? script : '')))).toEqual(well);
    gateway.simulator.enrol({ ...own, publicKeyPem: await publicKey() });
    const end = await part('Rotate', (script) => (script.startsWith(activate) ? script : ''));
    expect(faults(end)).toEqual(well);
  });

  it('goes back by a deployment', { timeout: 600_000 }, async () => {
    const end = await part('Go back again');
    expect(faults(end)).toEqual(well);
    expect(end.stdout).toContain('nothing changes in stage trial');
  });

  it('restores, and sends nothing until an approver ends the pause', { timeout: 600_000 }, async () => {
    const [drill = '', approve = '', again = ''] = commandsOf(parts.get('Restore') ?? '', 'blocks');
    const restored = await part('Restore', (script) => (script.startsWith(drill) ? script : ''));
    expect(faults(restored)).toEqual(well);
    await startFunctions();
    // The walk does not wait for the half hour in which what was under way may still be sent: the pause holds. The stories of restore end it.
    const stderr = expect.stringContaining('may still be sent: approve after');
    const early = await part('Restore', (script) => (script.startsWith(approve) ? script : ''));
    expect(faults(early)).toEqual({ code: 0, commands: [{ code: 1, words: 'node . approve restore --yes', stderr }] });
    const end = await part('Restore', (script) => (script.startsWith(again) ? script : ''));
    expect(end.commands.filter((it) => it.code !== 0)).toMatchObject([
      { code: 1, words: 'node . order acme-eu/DAY-1', stderr: expect.stringContaining('a restore was begun') },
      { code: 1, words: 'node . restore status' },
    ]);
    expect(paid()).toEqual(['DAY-1']);
  });
});
