/** The parts of a connection string. */
export interface UrlParts {
  readonly user: string;
  readonly password: string;
  /** Host and port. */
  readonly server: string;
  readonly database: string;
}

/** A kind of mistake, and a function that makes it. */
export type Mistake = readonly [what: string, mistype: (parts: UrlParts) => string];

/** The connection string without a mistake. */
function properUrl({ user, password, server, database }: UrlParts): string {
  return `postgres://${user}:${password}@${server}/${database}`;
}

/** Malformed connection strings. They are refused before anything is sent. */
export const UNREADABLE: readonly Mistake[] = [
  ["no colon after the scheme", (p) => properUrl(p).replace("://", "//")],
  ["a semicolon after the scheme", (p) => properUrl(p).replace("://", ";//")],
  ["one slash", (p) => properUrl(p).replace("://", ":/")],
  ["no slash", (p) => properUrl(p).replace("://", ":")],
  ["three slashes", (p) => properUrl(p).replace("://", ":///")],
  ["a scheme without its separator", (p) => properUrl(p).replace("://", "")],
  ["no scheme", (p) => properUrl(p).replace("postgres://", "")],
  ["only slashes instead of a scheme", (p) => properUrl(p).replace("postgres:", "")],
  ["a slash instead of a scheme", (p) => properUrl(p).replace("postgres:/", "")],
  ["no scheme and no database", ({ user, password, server }) => `${user}:${password}@${server}`],
  ["double quotes around it", (p) => `"${properUrl(p)}"`],
  ["single quotes around it", (p) => `'${properUrl(p)}'`],
  ["angle brackets around it", (p) => `<${properUrl(p)}>`],
  ["a quote before it", (p) => `"${properUrl(p)}`],
  ["a quote after it", (p) => `${properUrl(p)}"`],
  ["a space before it", (p) => ` ${properUrl(p)}`],
  ["the name of its variable before it", (p) => `DATABASE_URL=${properUrl(p)}`],
  ["export before it", (p) => `export DATABASE_URL=${properUrl(p)}`],
  ["psql before it", (p) => `psql ${properUrl(p)}`],
  ["the scheme of a web page", (p) => properUrl(p).replace("postgres", "https")],
  ["JDBC's form", (p) => `jdbc:postgresql://${p.server}/${p.database}?user=${p.user}&password=${p.password}`],
  ["JDBC's scheme", (p) => `jdbc:${properUrl(p)}`],
  ["key=value", (p) => `host=${p.server} user=${p.user} password=${p.password} dbname=${p.database}`],
  ["key = value", (p) => `host = ${p.server} password = '${p.password}'`],
  ["key=value;", (p) => `Host=${p.server};Username=${p.user};Password=${p.password}`],
  ["no @ before the host", (p) => properUrl(p).replace("@", "")],
  ["a colon instead of the @", (p) => properUrl(p).replace("@", ":")],
  ["a slash instead of the @", (p) => properUrl(p).replace("@", "/")],
  [
    "a slash instead of the colon",
    ({ user, password, server }) => `postgres://${user}/${password}@${server}/x`,
  ],
  ["a ? instead of the colon", ({ user, password, server }) => `postgres://${user}?${password}@${server}/x`],
  ["a # instead of the colon", ({ user, password, server }) => `postgres://${user}#${password}@${server}/x`],
  ["the host first", ({ user, password, server }) => `postgres://${server}/${user}:${password}@x`],
  ["a password instead of a port", ({ user, password }) => `postgres://${user}:${password}`],
  ["no ? before the query", ({ server, password }) => `postgres://${server}/x&password=${password}`],
  ["a semicolon before the query", ({ server, password }) => `postgres://${server}/x;password=${password}`],
  ["a query in the form of a URL", (p) => `postgres://${p.server}/x?${properUrl(p)}`],
  ["a URL as the query's host", (p) => `postgres:///x?host=${p.user}:${p.password}@${p.server}`],
  ["percent signs that do not decode", (p) => properUrl({ ...p, password: `${p.password}%ff` })],
  ["all of it encoded", (p) => encodeURIComponent(properUrl(p))],
  ["the URL encoded as the database", (p) => `postgres:///${encodeURIComponent(properUrl(p))}`],
  ["a # in the password", (p) => properUrl({ ...p, password: `${p.password}#x` })],
  ["a / in the password", (p) => properUrl({ ...p, password: `${p.password}/x` })],
  ["a ? in the password", (p) => properUrl({ ...p, password: `${p.password}?x` })],
  ["an @ and a / in the password", (p) => properUrl({ ...p, password: `a@${p.password}/b` })],
  ["an @ and a ? in the password", (p) => properUrl({ ...p, password: `a@${p.password}?b=c` })],
  ["digits and a / in the password", (p) => properUrl({ ...p, password: `1/${p.password}` })],
  ["a socket's folder and a URL", (p) => `/var/run ${properUrl(p)}`],
  ["a socket's folder, user and password", (p) => `/var/run ${p.user}:${p.password}`],
  ["a socket's folder, a database and a password", (p) => `/var/run ${p.database} ${p.password}`],
  ["a socket with an address", (p) => `socket:${p.user}:${p.password}@${p.server}/${p.database}`],
  ["a socket whose database is an address", (p) => `socket:/var/run?db=${p.user}:${p.password}`],
  ["a PGlite folder", (p) => properUrl(p).replace("postgres", "file")],
  ["an absolute PGlite folder", (p) => properUrl(p).replace("postgres://", "file:///")],
  ["file:// before it", (p) => `file://${properUrl(p)}`],
  [
    "a PGlite folder without a colon",
    ({ user, password, server }) => `file://${user}${password}@${server}/x`,
  ],
  ["a PGlite folder with a query", ({ server, password }) => `file://${server}/x?password=${password}`],
];

/** Connection strings that can be parsed, but whose password is wrong or misplaced. */
export const READABLE: readonly Mistake[] = [
  ["a wrong password", properUrl],
  ["a misspelt scheme", (p) => properUrl(p).replace("postgres", "postgress")],
  ["a line break after it", (p) => `${properUrl(p)}\n`],
  [
    "no colon before the password",
    ({ user, password, ...p }) =>
      properUrl({ ...p, user: "", password: "" }).replace(":@", `${user}${password}@`),
  ],
  [
    "an @ instead of the colon",
    ({ user, password, server, database }) => `postgres://${user}@${password}@${server}/${database}`,
  ],
  [
    "a password instead of a user",
    ({ password, server, database }) => `postgres://${password}@${server}/${database}`,
  ],
  ["neither colon nor database", ({ user, password, server }) => `postgres://${user}${password}@${server}`],
  ["the user in the query", ({ user, password, server }) => `postgres://${server}?user=${user}${password}`],
  ["two colons", (p) => properUrl({ ...p, password: `:${p.password}` })],
  ["an @ in the password", (p) => properUrl({ ...p, password: `${p.password}@x` })],
  ["a percent sign in the password", (p) => properUrl({ ...p, password: `${p.password}%zz` })],
  [
    "the password in the query",
    (p) => `postgres://${p.server}/${p.database}?user=${p.user}&password=${p.password}`,
  ],
  ["another password in the query", (p) => `${properUrl({ ...p, password: "" })}?sslpassword=${p.password}`],
  ["a missing database", (p) => properUrl({ ...p, database: "nowhere" })],
  ["a port where nothing listens", (p) => properUrl({ ...p, server: "127.0.0.1:1" })],
  ["a missing socket", (p) => `socket:/nowhere?db=x&user=${p.user}&password=${p.password}`],
  ["a socket of Cloud SQL", (p) => `postgres://${p.user}:${p.password}@/x?host=/cloudsql/a:b:c`],
];
