/**
 * The reason why a connection string is refused. It does not quote the string, because any part of a malformed
 * string may be the password.
 */
export type ConnectionStringFault = string;

const URL_FORM = /^(?<scheme>[a-z][a-z\d+.-]*):\/\/(?<authority>[^/?]*)(?<path>[^?]*)(?:\?(?<query>.*))?$/is;
/** Schemes that URL parsers treat specially. None of them belongs to a database. */
const FOREIGN_SCHEMES = new Set(["file", "ftp", "http", "https", "ws", "wss"]);
const HOST = /^(?:[\p{L}\p{N}._-]*|\[[\da-f:.]+(?:%[\w.-]+)?\]|[\da-f:.]*)$/iu;
/**
 * Folders may have colons in their names, as those of Cloud SQL do, except for the first folder, which would
 * then be a scheme.
 */
const SOCKET_FOLDER = /^(?!.*\/\/)\/[^/:@?#]*(?:\/[^@?#]*)?$/su;
/**
 * Characters that separate or quote the parts of a URL or of a key=value string. A database name in a URL
 * can't have them.
 */
const SEPARATOR = /[/@:?#&;=\\"'<>`\p{Cc}]/u;
const PARAMETER = /^[\w.-]*$/;
/**
 * Parameters whose values may have an @. In any other parameter an @ precedes a host that was parsed as a
 * part of the query.
 */
const PARAMETERS_WITH_AT = new Set([
  "user",
  "password",
  "sslpassword",
  "application_name",
  "fallback_application_name",
  "options",
]);

/**
 * Finds what is wrong with a connection string for `pg`. The parser of `pg` accepts nearly anything: if the
 * scheme is missing or incomplete, all that follows becomes the name of the database, password included.
 *
 * @returns `undefined` if the string is well-formed.
 *
 * @example
 * ```ts
 * connectionStringFault("postgres//app:s3cret@db/agents"); // "it does not begin with postgres://"
 * ```
 */
export function connectionStringFault(text: string): ConnectionStringFault | undefined {
  // URL parsers remove these characters too.
  const given = text.replaceAll(/[\t\n\r]/g, "");
  if (given.startsWith("/")) return socketFault(given);
  if (given.includes("#")) return "it has a # that is not percent-encoded";
  const parts = URL_FORM.exec(given.replace(/^socket:(?=\/(?!\/))/i, "socket://"))?.groups;
  const { scheme = "", authority = "", path = "", query = "" } = parts ?? {};
  if (parts === undefined || FOREIGN_SCHEMES.has(scheme.toLowerCase())) {
    return "it does not begin with postgres://";
  }
  const isSocket = scheme.toLowerCase() === "socket";
  const at = authority.lastIndexOf("@");
  if (decode(authority.slice(0, Math.max(at, 0))) === undefined) {
    return "its user or password has an invalid percent escape";
  }
  return (
    hostAndPortFault(authority.slice(at + 1)) ??
    (isSocket ? folderFault(path) : databaseFault(path.replace(/^\//, ""))) ??
    queryFault(query)
  );
}

/** Whether a connection string has a user and no password. */
export function hasUserWithoutPassword(text: string): boolean {
  const { authority = "", query = "" } = URL_FORM.exec(text.replaceAll(/[\t\n\r]/g, ""))?.groups ?? {};
  const parameters = new URLSearchParams(query);
  const userInfo = authority.slice(0, Math.max(authority.lastIndexOf("@"), 0));
  if (/:.*[\p{L}\p{N}]/su.test(userInfo) || (parameters.get("password") ?? "") !== "") return false;
  return !/^:*$/.test(userInfo) || (parameters.get("user") ?? "") !== "";
}

/** Whether the text can be the name or the address of a server, or the folder of its socket. */
export function isHost(text: string): boolean {
  return text.startsWith("/") ? SOCKET_FOLDER.test(text) : HOST.test(text);
}

/**
 * Whether the text may quote a user with a password, or a connection string of key=value, percent-encoded or
 * not.
 */
export function mayQuoteCredentials(text: string): boolean {
  return /:\S*@|password\s*=/i.test(text.replaceAll(/%3a/gi, ":").replaceAll("%40", "@"));
}

/** The form `/folder database`. */
function socketFault(text: string): ConnectionStringFault | undefined {
  const [folder = "", database = "", ...more] = text.split(" ");
  if (more.length > 0) return "it has more parts than a socket folder and a database";
  return folderFault(folder) ?? databaseFault(database);
}

function hostAndPortFault(text: string): ConnectionStringFault | undefined {
  const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const decoded = decode(host);
  if (decoded === undefined || !isHost(decoded)) return "its host is invalid";
  return port === undefined || /^\d*$/.test(port) ? undefined : "its port is not a number";
}

function folderFault(text: string): ConnectionStringFault | undefined {
  const folder = decode(text);
  if (folder !== undefined && (folder === "" || SOCKET_FOLDER.test(folder))) return undefined;
  return "its socket folder has an invalid character";
}

function databaseFault(text: string): ConnectionStringFault | undefined {
  const name = decode(text);
  if (name !== undefined && !SEPARATOR.test(name)) return undefined;
  return "its database name has an invalid character";
}

function queryFault(query: string): ConnectionStringFault | undefined {
  const fault = "its query has an invalid parameter";
  for (const parameter of query.split("&")) {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(parameter) ?? [];
    if (!PARAMETER.test(name)) return fault;
    if (value.includes("@") && !PARAMETERS_WITH_AT.has(name)) return fault;
    if (name === "host" && !isHost(decode(value) ?? "@")) return "its host is invalid";
    if (name === "db" && databaseFault(value) !== undefined) return databaseFault(value);
  }
  return undefined;
}

/** Decodes percent escapes. Like `pg`, it keeps a percent sign that begins no escape. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll(/%(?![\da-f]{2})/gi, "%25"));
  } catch {
    return undefined;
  }
}
