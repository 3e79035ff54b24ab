import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0016-how-batches-lock.md
var __pageData = JSON.parse("{\"title\":\"0016 How batches lock\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0016-how-batches-lock.md\",\"filePath\":\"decisions/0016-how-batches-lock.md\"}");
var _sfc_main = { name: "decisions/0016-how-batches-lock.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0016-how-batches-lock" tabindex="-1">0016 How batches lock <a class="header-anchor" href="#0016-how-batches-lock" aria-label="Permalink to “0016 How batches lock”">​</a></h1><p><strong>Context.</strong> Whoever ends the last job of a batch must know that it is the last, and wake what waits for it, once. One call may end jobs of several batches. A parent may be cancelled, or fail because of one child, while others of its children end. And a parent may itself be a child. Each of these locks rows that another of them holds.</p><p><strong>Choice.</strong> A batch has one row with its counters. Moves are counted in their own transaction, after all job rows they concern are locked, by one update per batch: the second of two calls waits for the first and then sees that its job is the last. The order of locks is: jobs by id, then batches from the newest id to the oldest, then the jobs that wait for them, then gates. Newest first, because the batch that a waiting parent is part of is older than the one it waits for. So a failure that climbs from child to parent takes locks in the same direction.</p><p>Downwards, from a batch to its jobs, nobody waits: a cancel takes what it can get with <code>skip locked</code>, and a mark on the batch makes the next sweep come back for the rest. What waits for a batch is a job from the start, <code>scheduled</code> without a time, which no promotion looks at. So the end of a batch is an update, and cannot be refused because of a full pipeline or a bad payload.</p><p><strong>Consequence.</strong> Calls that end jobs of one batch commit one after the other. A follower&#39;s payload is checked when the batch is added. A batch whose id the caller chose may break the order by age. If it has parents as its jobs, it may then meet a deadlock; PostgreSQL ends the deadlock, and the whole call is sent again. The children of a cancelled parent may run for up to a sweep longer.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0016-how-batches-lock.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0016_how_batches_lock_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0016_how_batches_lock_default as default };
