#!/usr/bin/env node
// CommonJS loads LangChain in two thirds of the time.
import { handleOutputErrors, interruptSignal, run } from "../dist/cli.cjs";
const { argv, env, stdin, stdout, stderr } = process;
handleOutputErrors(process);
const signal = interruptSignal(process);
const importModule = (url) => import(url);
process.exitCode = await run(argv.slice(2), { env, stdin, stdout, stderr, signal, importModule });
