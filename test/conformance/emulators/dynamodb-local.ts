// DynamoDB Local: AWS's own emulator, from Maven Central. In memory, its telemetry switched off.
import { join } from 'node:path';
import { type EmulatorProcess, startEmulator } from './emulator-process.ts';
import { javaFlags, mavenTool } from './maven.ts';

/** How it is installed. */
export const dynamoDbLocalTool = mavenTool('DynamoDB Local', join(import.meta.dirname, 'dynamodb-local.pom.xml'));

/** Starts it. It has no option to listen on loopback alone. */
export const startDynamoDbLocal = (directory: string): Promise<EmulatorProcess> =>
  startEmulator('DynamoDB Local', (port) => ({
    program: 'java',
    args: [
      ...javaFlags,
      '-Dsqlite4java.library.path=jars',
      '-cp',
      'jars/*',
      'software.amazon.dynamodb.services.local.main.ServerRunner',
      '-inMemory',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    cwd: directory,
    env: { DDB_LOCAL_TELEMETRY: '0' },
  }));
