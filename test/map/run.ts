// `npm run map [-- --json]`: how much one must know. Per function the files of lib/ that its imports reach, and of the most
// frequent story, an accepted payout, the files and lines that really run. test/house-rules.test.ts prints both; they are no limits.
import { byPath, functionFiles, nameOf, reachableFrom } from '../support/sources.ts';
import { runAcceptedPayout } from './story.ts';

const functions = functionFiles.map((path) => {
  const reached = [...reachableFrom([path])].filter((it) => it.startsWith('lib/')).toSorted();
  const lines = reached.reduce((sum, it) => sum + (byPath.get(it)?.lines.length ?? 0), 0);
  return { name: nameOf(path), files: reached.length, lines, reached };
});
const story = await runAcceptedPayout();

if (process.argv.includes('--json')) {
  process.stdout.write(`${JSON.stringify({ functions, acceptedPayout: story })}\n`);
} else {
  for (const { name, files, lines } of functions) {
    process.stdout.write(`${name.padEnd(10)} reaches ${String(files).padStart(4)} files, ${lines} lines\n`);
  }
  const { files, lines, hops } = story;
  process.stdout.write(`\naccepted-payout runs ${files.length} files, ${lines} lines; ${hops} imports between rooms\n`);
  for (const path of files) process.stdout.write(`  ${path}\n`);
}
