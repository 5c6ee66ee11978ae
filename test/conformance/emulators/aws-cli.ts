// AWS's own command line from PyPI: what the pages tell an operator to type is typed into the real thing.
import { pythonTool } from './python-tool.ts';

/** How it is installed; it is `venv/bin/aws` then. */
export const awsCliTool = pythonTool('aws-cli');
