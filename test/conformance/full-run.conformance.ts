// The whole system on real emulators: every fifth job of the sample, sent twice, each order paid at most once, and the
// money that the simulator counted is the money that the results speak of.
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { fullRun } from './full-run.ts';

const [dynamoDbUrl, elasticMqUrl, motoUrl] = [inject('dynamoDbLocal'), inject('elasticMq'), inject('moto')];

let jobs: string[];
let directory: string;

beforeAll(async () => {
  const sample = new URL('../../lib/local/sample-jobs.jsonl', import.meta.url);
  const lines = (await readFile(sample, 'utf8')).trim().split('\n');
  const some = lines.filter((_, index) => index % 5 === 0);
  jobs = [...some, ...some];
  directory = await mkdtemp(join(tmpdir(), 'payouts-conformance-'));
});

/** The same run on either set of emulators. */
async function run(name: string, urls: Omit<Parameters<typeof fullRun>[0], 'name' | 'jobs' | 'directory'>) {
  const accounts = await fullRun({ name, ...urls, jobs, directory });
  return { ...accounts, differences: accounts.money?.map(({ difference }) => Number(difference)) };
}

/** What every run must come to. */
const agreement = () => ({
  messages: jobs.length,
  paidTwice: [],
  disagreements: [],
  agree: true,
  endings: { missing: 0, 'dead letter only': 0 },
  differences: [0, 0, 0, 0],
});

describe.skipIf(elasticMqUrl === null || dynamoDbUrl === null || motoUrl === null)(
  'ElasticMQ, DynamoDB Local and the Secrets Manager of moto',
  () => {
    it('bring every job to its one true end', async () => {
      const urls = { sqsUrl: elasticMqUrl ?? '', dynamoDbUrl: dynamoDbUrl ?? '', secretsManagerUrl: motoUrl ?? '' };
      const accounts = await run('three-emulators', urls);
      expect(accounts).toMatchObject(agreement());
      expect(accounts.endings.accepted).toBeGreaterThan(jobs.length / 2);
    });
  },
);

describe.skipIf(motoUrl === null)('moto alone', () => {
  it('brings every job to its one true end', async () => {
    const url = motoUrl ?? '';
    const accounts = await run('moto-alone', { sqsUrl: url, dynamoDbUrl: url, secretsManagerUrl: url });
    expect(accounts).toMatchObject(agreement());
    expect(accounts.endings.accepted).toBeGreaterThan(jobs.length / 2);
  });
});
