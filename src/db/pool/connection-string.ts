/** Why a part can't be read, without a word of it: where parts can't be told apart, any of them may be the password. */
export type ConnectionStringFault = string;

const URL_FORM = /^(?<scheme>[a-z][a-z\d+.-]*):\/\/(?<authority>[^/?]*)(?<path>[^?]*)(?:\?(?<query>.*))?$/is;
/** Schemes that URL parsers treat in ways of their own. None of them is a database's. */
const FOREIGN_SCHEMES = new Set(["file", "ftp", "http", "https", "ws", "wss"]);
const HOST = /^(?:[\p{L}\p{N}._-]*|\[[\da-f:.]+(?:%[\w.-]+)?\]|[\da-f:.]*)$/iu;
/** Folders may have colons in their names, as those of Cloud SQL have; the first has none, or it would be a scheme. */
const SOCKET_FOLDER = /^(?!.*\/\/)\/[^/:@?#]*(?:\/[^@?#]*)?$/su;
/** What separates the parts of a URL or of a key=value string, or quotes one. A name in a URL can't have these. */
const SEPARATOR = /[/@:?#&;=\\"'<>`\p{Cc}]/u;
const PARAMETER = /^[\w.-]*$/;
/** Parameters whose values may have an @. Anywhere else it stands before a host that was taken for a part of the query. */
const PARAMETERS_WITH_AT = new Set([
  "user",
  "password",
  "sslpassword",
  "application_name",
  "fallback_application_name",
  "options",
]);

/**
 * Finds what is wrong with a connection string for `pg`. Its own parser takes nearly anything: without a scheme, or with
 * half of one, everything that follows becomes the name of the database, password included.
 *
 * @returns `undefined` where its parts can be told apart.
 *
 * @example
 * ```ts
 * connectionStringFault("postgres//app:s3cret@db/agents"); // "it does not begin with postgres://"
 * ```
 */
export function connectionStringFault(text: string): ConnectionStringFault | undefined {
  // As URL parsers do.
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
    return "its user or its password has a percent sign that does not decode";
  }
  return (
    hostAndPortFault(authority.slice(at + 1)) ??
    (isSocket ? folderFault(path) : databaseFault(path.replace(/^\//, ""))) ??
    queryFault(query)
  );
}

/** Whether a connection string names a user and no password. */
export function hasUserWithoutPassword(text: string): boolean {
  const { authority = "", query = "" } = URL_FORM.exec(text.replaceAll(/[\t\n\r]/g, ""))?.groups ?? {};
  const parameters = new URLSearchParams(query);
  const userInfo = authority.slice(0, Math.max(authority.lastIndexOf("@"), 0));
  if (/:.*[\p{L}\p{N}]/su.test(userInfo) || (parameters.get("password") ?? "") !== "") return false;
  return !/^:*$/.test(userInfo) || (parameters.get("user") ?? "") !== "";
}

/** Whether this can be the name or the address of a server, or the folder of its socket. */
export function isHost(text: string): boolean {
  return text.startsWith("/") ? SOCKET_FOLDER.test(text) : HOST.test(text);
}

/** Whether this may quote a user with a password, or a connection string of key=value; also where it is percent-encoded. */
export function mayQuoteCredentials(text: string): boolean {
  return /:\S*@|password\s*=/i.test(text.replaceAll(/%3a/gi, ":").replaceAll("%40", "@"));
}

/** The form `/folder database`. */
function socketFault(text: string): ConnectionStringFault | undefined {
  const [folder = "", database = "", ...more] = text.split(" ");
  if (more.length > 0) return "it has more than the folder of a socket and a database";
  return folderFault(folder) ?? databaseFault(database);
}

function hostAndPortFault(text: string): ConnectionStringFault | undefined {
  const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const decoded = decode(host);
  if (decoded === undefined || !isHost(decoded)) return "its host is not the name or the address of a server";
  return port === undefined || /^\d*$/.test(port) ? undefined : "its port is not a number";
}

function folderFault(text: string): ConnectionStringFault | undefined {
  const folder = decode(text);
  if (folder !== undefined && (folder === "" || SOCKET_FOLDER.test(folder))) return undefined;
  return "the folder of its socket has a character that it can't have";
}

function databaseFault(text: string): ConnectionStringFault | undefined {
  const name = decode(text);
  if (name !== undefined && !SEPARATOR.test(name)) return undefined;
  return "its database has a character that it can't have";
}

function queryFault(query: string): ConnectionStringFault | undefined {
  const fault = "its query has a parameter that is none";
  for (const parameter of query.split("&")) {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(parameter) ?? [];
    if (!PARAMETER.test(name)) return fault;
    if (value.includes("@") && !PARAMETERS_WITH_AT.has(name)) return fault;
    if (name === "host" && !isHost(decode(value) ?? "@")) return "its host is not one";
    if (name === "db" && databaseFault(value) !== undefined) return databaseFault(value);
  }
  return undefined;
}

/** Of percent signs that are no escapes `pg` takes each as it is. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll(/%(?![\da-f]{2})/gi, "%25"));
  } catch {
    return undefined;
  }
}
