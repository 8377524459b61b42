import { defineConfig } from "vitepress";
import { checkSearch } from "./check-search.js";
import { fileUrl, name, repository, version } from "./package.js";
import { linkToRepository } from "./repository-links.js";
import { search } from "./search.js";
import { sidebar } from "./sidebar.js";
import { slugify } from "./slugify.js";

export default defineConfig({
  title: name,
  description: "Durable state for LangGraph.js agents in PostgreSQL",
  cleanUrls: true,
  markdown: { anchor: { slugify }, config: linkToRepository },
  // The index of the search is one chunk.
  vite: { build: { chunkSizeWarningLimit: 1_000 } },
  buildEnd: checkSearch,
  themeConfig: {
    search: { provider: "local", options: search },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/getting-started" },
      { text: "Command line", link: "/cli" },
      { text: "API", link: "/api/" },
      { text: `v${version}`, link: fileUrl("CHANGELOG.md") },
    ],
    socialLinks: [
      { icon: "github", link: repository },
      { icon: "npm", link: `https://www.npmjs.com/package/${name}` },
    ],
    sidebar: [...sidebar],
  },
});
