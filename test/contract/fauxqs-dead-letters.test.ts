// The dead-letter queue's contract on the embedded emulator.
import { afterAll } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { describeDeadLetters } from './dead-letters-contract.ts';

let aws: EmbeddedAws;
afterAll(() => aws.close());

describeDeadLetters(
  'fauxqs',
  async () => {
    aws = await startEmbeddedAws();
    return aws.environment['AWS_ENDPOINT_URL_SQS'] ?? '';
  },
  { saysSource: false, givesGroup: false },
);
