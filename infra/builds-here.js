// Runs before builds and packaging: in an operator's installation (`npm ci --omit=dev`), which lacks the tools, it ends with one line.
// Plain JavaScript, which any Node runs.
import { createRequire } from 'node:module';

try {
  createRequire(import.meta.url).resolve('esbuild');
} catch {
  process.stderr.write('the tools that build and deploy are not installed: run "npm ci" without --omit=dev\n');
  process.exit(1);
}
