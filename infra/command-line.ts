// The command lines of `npm run …`: each has a usage, and an unknown option is reported in a line, without a stack.
import { parseArgs, type ParseArgsConfig } from 'node:util';

/**
 * The arguments as `parseArgs` reads them. `--help` prints the usage and ends with 0; a wrong command line ends with 2.
 */
export function commandLine<T extends ParseArgsConfig>(usage: string, config: T): ReturnType<typeof parseArgs<T>> {
  if (process.argv.slice(2).some((it) => it === '--help' || it === '-h')) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`${error.message.split('. ', 1)[0]}\n${usage}\n`);
    process.exit(2);
  }
}
