import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/decisions/0013-the-time-of-a-test.md
var __pageData = JSON.parse("{\"title\":\"0013 The time of a test\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"decisions/0013-the-time-of-a-test.md\",\"filePath\":\"decisions/0013-the-time-of-a-test.md\"}");
var _sfc_main = { name: "decisions/0013-the-time-of-a-test.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="0013-the-time-of-a-test" tabindex="-1">0013 The time of a test <a class="header-anchor" href="#0013-the-time-of-a-test" aria-label="Permalink to “0013 The time of a test”">​</a></h1><p><strong>Context.</strong> Users want to run a pipeline to its end in a test, with retries after an hour, schedules for tomorrow and limits per minute, without waiting and without mocks. The engine&#39;s clock can be passed in. But PostgreSQL&#39;s clock decides which jobs are due and who holds a job, and production never sends it a time.</p><p><strong>Choice.</strong> <code>@lockstep/testing</code> creates the test&#39;s database with the same functions and one difference: the default of their last argument, <code>p_now</code>, reads a table of one row instead of <code>clock_timestamp()</code>. The manual clock writes that row before it wakes its own sleepers. Nothing in the engine or in the SQL knows of it. A worker that works only when it is told runs the jobs (<code>stepping/step-worker.ts</code> in the engine): one claim, one run, one settle. It uses the parts of the real worker and leaves out those that run on timers: heartbeat, listener, scheduler, sweeper. &quot;Nothing is due&quot; is then an answer, not a guess after some waiting.</p><p>Sending <code>p_now</code> from the store would put an argument into every call only for tests, and let a client&#39;s clock decide who holds a job. A clock in a connection&#39;s settings does not work with a pool. The real worker on a manual clock has a lease and a heartbeat thread in real time, and whether it is idle can only be guessed. Moving stored times into the past, as our own stories do, has to know every column of every table.</p><p><strong>Consequence.</strong> What a handler is given is wired in two places, <code>Worker</code> and <code>StepWorker</code>. Both build <code>JobRunParts</code>, so the compiler finds a difference. Handlers run one at a time in such a test: races belong to tests with real workers. A function that decided by <code>clock_timestamp()</code> or <code>now()</code> in its body instead of <code>p_now</code> would not follow the test&#39;s clock; a test looks for such functions.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0013-the-time-of-a-test.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var _0013_the_time_of_a_test_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, _0013_the_time_of_a_test_default as default };
