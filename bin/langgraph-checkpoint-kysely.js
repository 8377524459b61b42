#!/usr/bin/env node
import { handleOutputErrors, interruptSignal, run } from "../dist/cli.js";
const { argv, env, stdin, stdout, stderr } = process;
handleOutputErrors(process);
process.exitCode = await run(argv.slice(2), { env, stdin, stdout, stderr, signal: interruptSignal(process) });
