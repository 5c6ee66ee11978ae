// `npm run deploy`. The first deployment of a stage goes in two steps: CloudFormation takes away what a failed one has
// made, and could not take away a ledger that is protected against deletion; the next try would find its name taken. So
// the ledger is made unprotected, empty as it is, and protected as soon as the stack stands.
import { CloudFormationClient, DescribeStackResourceCommand } from '@aws-sdk/client-cloudformation';
import { clientSettings } from '../lib/aws/aws-calls.ts';
import { patientAwsCalls } from '../lib/payout/limits.ts';

const unprotected = ['--param', 'ledgerProtection=false'];

/** The arguments of each run of the packager. */
export function runsOf(args: readonly string[], ledgerStands: boolean): readonly (readonly string[])[] {
  const isSaid = args.some((it) => /^(--param=)?ledgerProtection=/.test(it));
  return ledgerStands || isSaid ? [args] : [[...args, ...unprotected], args];
}

/** The value of `--name value` or `--name=value`. */
export function optionOf(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((it) => it === `--${name}` || it.startsWith(`--${name}=`));
  const [, joined] = args[at]?.split('=') ?? [];
  return at < 0 ? undefined : (joined ?? args[at + 1]);
}

/** Whether the stage's ledger is there; the credentials are those of the packager. */
export async function ledgerStands(args: readonly string[]): Promise<boolean> {
  const region = optionOf(args, 'region') ?? process.env['AWS_REGION'] ?? 'eu-central-1';
  const client = new CloudFormationClient({ ...clientSettings(patientAwsCalls), region });
  const StackName = `payouts-${optionOf(args, 'stage') ?? 'dev'}`;
  try {
    const { StackResourceDetail: it } = await client.send(
      new DescribeStackResourceCommand({ StackName, LogicalResourceId: 'LedgerTable' }),
    );
    return it !== undefined && !/^(CREATE_FAILED|DELETE_COMPLETE)$/.test(it.ResourceStatus ?? '');
  } catch (error) {
    // CloudFormation's word for a stack or a resource that is not there.
    if (error instanceof Error && error.name === 'ValidationError') return false;
    throw error;
  } finally {
    client.destroy();
  }
}
