/** Puts a running service under load, and checks that it lost nothing: `npm run load`. */
import { parseLoadOptions, USAGE } from "./options.js";
import { describeReport, Tally } from "./tally.js";
import { User } from "./user.js";

const options = parseLoadOptions(process.argv.slice(2), process.env);
if (options.help) {
  console.log(USAGE);
} else {
  const tally = new Tally();
  // Customers of their own, so that a second load begins anew.
  const name = `load-${Date.now().toString(36)}`;
  const users = Array.from({ length: options.users }, (_, index) => new User(options, name, index, tally));
  const begun = performance.now();
  await Promise.all(users.map((user) => user.talk(begun + options.durationMs)));
  const seconds = (performance.now() - begun) / 1_000;
  await Promise.all(users.map((user) => user.check()));
  const threads = users.reduce((sum, user) => sum + user.threads, 0);
  const report = tally.report({ users: users.length, seconds, threads });
  console.log(options.json ? JSON.stringify(report) : describeReport(report));
  if (report.findings.length > 0) process.exitCode = 1;
}
