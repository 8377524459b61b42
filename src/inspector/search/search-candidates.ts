import { wordsOf } from "../../db/stored-words.js";
import type { CallRun } from "../calls/call-definition.js";
import { hasOptionalIndex } from "../../migrations/indexes/has-optional-index.js";
import { threadsWithFacts, threadsWithIds, threadsWithTitles } from "../queries/named-threads.js";
import { listThreadPage } from "../queries/thread-pages.js";
import { threadsWithWords } from "../queries/threads-with-words.js";
import { pagedThread } from "../threads/describe-threads.js";
import { suggestMetadata } from "../threads/suggest-metadata.js";
import { MAX_LOOKED } from "../threads/thread-scope.js";
import { parseIfJson } from "../values/readable-json.js";
import { excerptOfName, findFact, type SearchTerm } from "./excerpt-of.js";

/** Which threads may have all terms of a search. */
interface SearchCandidates {
  /** Whether there is an index of words. */
  readonly isIndexed: boolean;
  /** All threads that may have the terms; `undefined` where nothing narrows them. */
  readonly among: readonly string[] | undefined;
  /** Those whose ids or metadata may have all of the terms, where these are not among {@link among} anyway. */
  readonly named: readonly string[];
}

/** The threads that may have a term; `undefined` for all of them. */
type Candidates = ReadonlySet<string> | undefined;

/**
 * Finds the threads that may have all terms of a search, as far as there are indexes.
 *
 * @param isFirstPage - Without an index of words, what the names find is for the first page only.
 */
export async function searchCandidates(
  run: CallRun,
  terms: readonly SearchTerm[],
  isFirstPage: boolean,
): Promise<SearchCandidates> {
  const [isIndexed, hasMetadataIndex] = await Promise.all([
    hasOptionalIndex(run.call, "text-index"),
    hasOptionalIndex(run.call, "metadata-index"),
  ]);
  if (!isIndexed && !isFirstPage) return { isIndexed, among: undefined, named: [] };
  const ids = await threadsWithIds(
    run.call,
    terms.map(({ text }) => text),
  );
  // No index of words has the metadata.
  const latest = isIndexed ? (await listThreadPage(run.call, "recent", {}, MAX_LOOKED)).map(pagedThread) : [];
  const names = hasMetadataIndex ? (await suggestMetadata(run)).map(({ name }) => name) : [];
  let [among, named]: [Candidates, Candidates] = [undefined, undefined];
  for (const { text } of terms) {
    const facts = names.length === 0 ? [] : await threadsWithFacts(run.call, factsWith(names, text));
    const titled = await threadsWithTitles(run.call, text);
    const ofIds = ids?.filter((id) => excerptOfName(id, text) !== undefined);
    const ofTerm = ofIds && facts && titled && new Set([...ofIds, ...facts, ...titled]);
    named = bothOf(named, ofTerm);
    const words = isIndexed ? await threadsWithWords(run.call, wordsOf(text)) : undefined;
    const inMetadata = latest.filter(({ metadata }) => findFact(metadata, text) !== undefined);
    const ofLatest = inMetadata.map(({ threadId }) => threadId);
    among = bothOf(among, words && ofTerm && new Set([...words, ...ofTerm, ...ofLatest]));
  }
  return {
    isIndexed,
    among: among && [...among],
    named: among === undefined && named !== undefined ? [...named] : [],
  };
}

function bothOf(a: Candidates, b: Candidates): Candidates {
  if (a === undefined || b === undefined) return a ?? b;
  return new Set([...a].filter((id) => b.has(id)));
}

/** The metadata that has a text as one of its values. `42` may be a number. */
function factsWith(names: readonly string[], text: string): readonly string[] {
  const parsed = parseIfJson(text);
  const values = typeof parsed === "number" || typeof parsed === "boolean" ? [text, parsed] : [text];
  return names.flatMap((name) => values.map((value) => JSON.stringify({ [name]: value })));
}
