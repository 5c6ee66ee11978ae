// The settings of a stack, for the shell: names become the tool's, values stay what they are.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { exportLines, outputSettings } from '../../lib/cli/setup/stage.ts';

const policyArn = 'arn:aws:iam::111122223333:policy/payouts-prod-OperatorPolicy-AbCdEf';

describe('the outputs of a stack', () => {
  it('become settings by name, and no value is rewritten', () => {
    const outputs = [
      {
        OutputKey: 'JobsQueueUrl',
        OutputValue: 'https://sqs.eu-central-1.amazonaws.com/111122223333/payouts-prod-jobs',
      },
      { OutputKey: 'OperatorPolicyArn', OutputValue: policyArn },
    ];
    expect(outputSettings(outputs)).toEqual({
      JOBS_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/111122223333/payouts-prod-jobs',
      OPERATOR_POLICY_ARN: policyArn,
    });
  });

  it('reach a plain shell as they are, blanks, quotes and dollars too', () => {
    const odd = `two addresses: 192.0.2.1, 192.0.2.2; $HOME's "own" \`pwd\``;
    const script = `eval "$1"; printf '%s\n%s' "$EGRESS_ADDRESSES" "$OPERATOR_POLICY_ARN"`;
    const lines = exportLines({ EGRESS_ADDRESSES: odd, OPERATOR_POLICY_ARN: policyArn });
    const { stdout } = spawnSync('sh', ['-uc', script, 'sh', lines], { encoding: 'utf8' });
    expect(stdout).toBe(`${odd}\n${policyArn}`);
  });
});
