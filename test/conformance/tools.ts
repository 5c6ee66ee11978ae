// Everything that the conformance tests fetch, in one list, and `npm run test:conformance:tools`, which fetches it beforehand:
// minutes of waiting for package clients, which a landing spends on its other checks.
import { interfaceClientTool } from '../lambda-runtime/interface-client.ts';
import { awsCliTool } from './emulators/aws-cli.ts';
import { checkovTool } from './emulators/checkov.ts';
import { dynamoDbLocalTool } from './emulators/dynamodb-local.ts';
import { motoTool } from './emulators/moto.ts';
import { oauthlibTool } from './emulators/oauthlib.ts';
import { pain001Tool } from './emulators/pain001.ts';
import { available, type Tool } from './emulators/tool-cache.ts';

const tools: readonly Tool[] = [
  dynamoDbLocalTool,
  motoTool,
  interfaceClientTool,
  oauthlibTool,
  awsCliTool,
  checkovTool,
  pain001Tool,
];

/** Says in one line that the tool is there, or why it is not. */
export async function directoryOf(tool: Tool): Promise<string | null> {
  const startedMs = performance.now();
  const found = await available(tool);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const ready = found.kind === 'ready';
  process.stdout.write(`conformance: ${ready ? `${tool.name} ready after ${seconds} s` : found.reason}\n`);
  return ready ? found.directory : null;
}

if (import.meta.main) await Promise.all(tools.map(directoryOf));
