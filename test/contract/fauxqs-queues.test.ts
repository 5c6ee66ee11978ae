// The queue contract on the embedded SQS.
import { afterAll } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { describeQueues } from './queues-contract.ts';

let aws: EmbeddedAws | undefined;

afterAll(() => aws?.close());

describeQueues('fauxqs', async () => {
  aws = await startEmbeddedAws();
  return aws.environment['AWS_ENDPOINT_URL_SQS'] ?? '';
});
