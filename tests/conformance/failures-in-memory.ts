import { byCall, filters, type KnownFailures, unknownFilters } from "./known-failures.js";

const INVALID = "an invalid namespace is refused by InvalidNamespaceError";
const ROOT = "the root and LangGraph's own root may be read";

const ALWAYS: KnownFailures = {
  "it stores the object that it is given, and returns the one that it stores": [
    "a change of an item that was read changes nothing stored",
    "a change of a value or namespace after its put changes nothing stored",
    "an item that was read stays as it was when the item is replaced",
    "equal reads of a batch return items of their own",
    "the reads of a batch see the state before its writes",
  ],
  "it stores undefined": ["a put of undefined is refused by the store itself, and stores nothing"],
  "it joins labels by colons": ["a label may have a colon, which separates nothing"],
  "a batch stores items anywhere": byCall(
    "no item can be at the root or below LangGraph's own root",
    "a put of a batch",
  ),
  "an update does not move an item": ["the item that was updated last comes first"],
  "it compares parts that are objects by their identity": filters(
    '{"a":[1,2]}',
    '{"a":[1]}',
    '{"a":{"b":1}}',
    '{"a":{"$eq":[1,2]}}',
    '{"a":{"$eq":{"b":1,"c":2}}}',
    '{"a":{"$ne":[1,2]}}',
    '{"a":{"$in":[[1,2],{"b":1,"c":2}]}}',
  ),
  "it compares everything as numbers": [
    ...filters(
      '{"a":{"$gt":4}}',
      '{"a":{"$gte":5}}',
      '{"a":{"$lt":5}}',
      '{"a":{"$gt":0,"$lt":10}}',
      '{"a":{"$gte":5,"$ne":5}}',
      '{"a":{"$gt":"2024-06-01","$lt":"2024-07"}}',
      '{"a":{"$gte":"abc"}}',
    ),
    "a filter of a batch finds the same items",
  ],
  "an object without keys has no condition": filters('{"a":{}}'),
  "it takes inherited properties for those of the value": filters('{"toString":undefined,"a":5}'),
  "it ignores operators that it does not know": [
    ...filters('{"a":{"$exists":true}}', '{"a":{"$exists":false}}'),
    ...unknownFilters('{"a":{"$foo":1}}', '{"a":{"$regex":"x"}}', '{"a":{"$gte":1,"b":1}}', '{"$foo":[]}'),
  ],
  "it keeps namespaces without items": ["a namespace without items is not listed"],
  "it skips a list without conditions, so that the results move up": [
    "a batch lists namespaces without conditions",
  ],
  "it never removes vectors": [
    "a put replaces what its item is found by",
    "a put without an index leaves nothing to find its item by",
    "an item that is stored again is not found by what was deleted",
  ],
  "every page repeats the items without a score": [
    "pages of a query follow one order without a gap or a repetition, first the items with a score",
  ],
};

/** What the case of a store in memory fails in the newest version of `@langchain/langgraph-checkpoint`. */
export const FAILURES_OF_NEWEST: KnownFailures = {
  ...ALWAYS,
  "a batch refuses the root": byCall(ROOT, "get", "delete", "a get of a batch", "a deletion of a batch"),
};

/** The same in the oldest version that the peer range allows. */
export const FAILURES_OF_OLDEST: KnownFailures = {
  ...ALWAYS,
  "only a put checks labels": byCall(
    INVALID,
    "put",
    "a put of a batch",
    "get",
    "search",
    "delete",
    "listNamespaces by prefix",
    "listNamespaces by suffix",
    "a get of a batch",
    "a search of a batch",
    "a deletion of a batch",
  ),
  "it compares the beginnings of texts": [
    "a search finds a namespace and those below it, and none whose label only begins alike",
    "characters of patterns stand for themselves in a search",
    "a batch searches and reads by the same rules",
    "a filter and a namespace narrow a search by meaning",
  ],
  "a batch is not checked before it is carried out": [
    "a batch stores nothing where one of its operations is refused",
  ],
};
