import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0064-a-threads-clock-catches-up.md
var __pageData = JSON.parse("{\"title\":\"0064 A thread's clock catches up with the main thread's\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0064-a-threads-clock-catches-up.md\",\"filePath\":\"decisions/0064-a-threads-clock-catches-up.md\"}");
var _sfc_main = { name: "decisions/0064-a-threads-clock-catches-up.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0064-a-threads-clock-catches-up-with-the-main-threads" tabindex="-1">0064 A thread&#39;s clock catches up with the main thread&#39;s <a class="header-anchor" href="#0064-a-threads-clock-catches-up-with-the-main-threads" aria-label="Permalink to “0064 A thread&#39;s clock catches up with the main thread&#39;s”">​</a></h1><p><strong>Context.</strong> The main thread trusts its lease by instants that the heartbeat thread writes into shared memory, so both must read one clock. In Node <code>process.hrtime</code> counts from the same point in every thread. Bun 1.4 and Deno 2.9 count from the start of each thread: a heartbeat thread that began seven seconds after its process dated every renewal seven seconds too early. With a lease of six seconds the worker was registered, sent its heartbeats, looked healthy in every report, and claimed nothing. Whether a handler blocks the main thread was judged wrongly too.</p><p><strong>Choice.</strong> The thread is told what the main thread&#39;s clock said just before it was started. If its own clock says less, which cannot be where they share one, it is set forward to that instant. It is never set back.</p><p><strong>Considered.</strong> <code>performance.timeOrigin + performance.now()</code>: it jumps with the wall clock between the starts of two threads, and a jump forward would make a lease look longer than it is. An offset measured by messages there and back: more exact, and a busy main thread answers late. A clock of the thread&#39;s own in the memory, written every few milliseconds: a timer that wakes an idle process.</p><p><strong>Consequence.</strong> On Node nothing changes. Elsewhere renewals are dated too early by the time that a thread takes to start: a lease seems a little older than it is, never younger. <code>npm run test:bun</code> and <code>npm run test:deno</code> start a worker in a process that is older than its lease.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0064-a-threads-clock-catches-up.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0064_a_threads_clock_catches_up_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0064_a_threads_clock_catches_up_default as default };
