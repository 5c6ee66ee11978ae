// AWS on this machine as `payouts submit` meets it, and what lies on the jobs queue afterwards.
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../../lib/local/embedded-aws.ts';
import { clientConfigOf, workerEnvironment } from '../../../lib/local/local-environment.ts';
import { queueDepth, takeMessages } from '../../../lib/local/queue-reader.ts';
import { sampleSecrets, workerSecret } from '../../../lib/local/sample-merchants.ts';

/** A job message as it lies on the queue. */
export interface SentJob {
  readonly merchant: string;
  readonly orderId: string;
  readonly batchId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly [name: string]: unknown;
}

/** The environment, there once the stories have begun. No gateway: nothing takes jobs off the queue but the stories. */
export function anAwsToSubmitTo() {
  let aws: EmbeddedAws;
  let sqs: SQSClient;
  beforeAll(async () => {
    // Longer than any story: what was looked at must not come back.
    aws = await startEmbeddedAws({ visibilityTimeoutSeconds: 3_600 });
    sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
    const nobody = 'http://127.0.0.1:9';
    for (const [merchant, secret] of Object.entries(await sampleSecrets({ gatewayUrl: nobody, closedUrl: nobody })))
      aws.secrets.put(`payouts/${merchant}`, secret);
    aws.secrets.put('payouts/_worker', workerSecret());
  });
  afterAll(async () => {
    sqs.destroy();
    await aws.close();
  });
  return {
    aws: () => aws,
    env: () => workerEnvironment(aws, {}),
    /** Rows have a queue of their own. */
    depth: () => queueDepth(sqs, aws.queueUrls.batchJobs),
    /** Takes every job off the queue. */
    async takeJobs(): Promise<SentJob[]> {
      const jobs: SentJob[] = [];
      for (;;) {
        const messages = await takeMessages(sqs, aws.queueUrls.batchJobs, 0);
        if (messages.length === 0) return jobs;
        jobs.push(...messages.map(({ Body = '' }) => JSON.parse(Body) as SentJob));
      }
    },
  };
}
