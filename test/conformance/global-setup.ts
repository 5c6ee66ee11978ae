// Before the conformance tests: installs what is missing, starts every emulator that can be started, and says in one
// line each what can't. The tests learn the addresses by `inject`.
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { interfaceClientTool } from '../lambda-runtime/interface-client.ts';
import { awsCliTool } from './emulators/aws-cli.ts';
import { checkovTool } from './emulators/checkov.ts';
import { startDynamoDbLocal, dynamoDbLocalTool } from './emulators/dynamodb-local.ts';
import type { EmulatorProcess } from './emulators/emulator-process.ts';
import { motoTool, startMoto } from './emulators/moto.ts';
import { oauthlibTool } from './emulators/oauthlib.ts';
import { pain001Tool } from './emulators/pain001.ts';
import { available, type Tool } from './emulators/tool-cache.ts';
import { directoryOf } from './tools.ts';

declare module 'vitest' {
  /** Each null where it can't be had on this machine. */
  interface ProvidedContext {
    /** Emulators' addresses. */
    dynamoDbLocal: string | null;
    moto: string | null;
    /** Where AWS's runtime interface client is installed. */
    interfaceClient: string | null;
    /** Where oauthlib is installed. */
    oauthlib: string | null;
    /** Where the schemas of ISO 20022 are. */
    iso20022: string | null;
    /** Where cfn-lint is installed, which is where moto is. */
    cfnLint: string | null;
    /** AWS's own command line. */
    awsCli: string | null;
    /** Where checkov is installed. */
    checkov: string | null;
  }
}

/** Runs once; what it returns runs at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running: EmulatorProcess[] = [];
  const emulator = async (
    tool: Tool,
    start: (directory: string) => Promise<EmulatorProcess>,
  ): Promise<string | null> => {
    const directory = await directoryOf(tool);
    if (directory === null) return null;
    const emulator = await start(directory);
    running.push(emulator);
    return emulator.url;
  };
  const teardown = async () => void (await Promise.all(running.map((it) => it.stop())));
  try {
    const [dynamoDbLocal, moto, interfaceClient, oauthlib, awsCli, checkov, iso20022] = await Promise.all([
      emulator(dynamoDbLocalTool, startDynamoDbLocal),
      emulator(motoTool, startMoto),
      directoryOf(interfaceClientTool),
      directoryOf(oauthlibTool),
      directoryOf(awsCliTool),
      directoryOf(checkovTool),
      directoryOf(pain001Tool),
    ]);
    project.provide('dynamoDbLocal', dynamoDbLocal);
    project.provide('moto', moto);
    project.provide('interfaceClient', interfaceClient);
    project.provide('oauthlib', oauthlib);
    project.provide('checkov', checkov);
    project.provide('iso20022', iso20022);
    project.provide('awsCli', awsCli === null ? null : join(awsCli, 'venv/bin/aws'));
    const motoInstalled = await available(motoTool);
    project.provide('cfnLint', motoInstalled.kind === 'ready' ? motoInstalled.directory : null);
    return teardown;
  } catch (error) {
    await teardown();
    throw error;
  }
}
