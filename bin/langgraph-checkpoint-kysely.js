#!/usr/bin/env node
import { ignoreClosedPipe, interruptSignal, run } from "../dist/cli.js";
const { argv, env, stdin, stdout, stderr } = process;
stdout.on("error", ignoreClosedPipe);
stderr.on("error", ignoreClosedPipe);
process.exitCode = await run(argv.slice(2), { env, stdin, stdout, stderr, signal: interruptSignal(process) });
