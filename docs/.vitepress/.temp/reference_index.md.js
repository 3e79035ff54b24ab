import { t as _plugin_vue_export_helper_default } from "./plugin-vue_export-helper.DjkACiAr.js";
import { useSSRContext } from "vue";
import { ssrRenderAttrs } from "vue/server-renderer";
// docs/reference/README.md
var __pageData = JSON.parse("{\"title\":\"Reference from the types\",\"description\":\"\",\"frontmatter\":{},\"headers\":[],\"relativePath\":\"reference/index.md\",\"filePath\":\"reference/README.md\"}");
var _sfc_main = { name: "reference/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
	_push(`<div${ssrRenderAttrs(_attrs)}><h1 id="reference-from-the-types" tabindex="-1">Reference from the types <a class="header-anchor" href="#reference-from-the-types" aria-label="Permalink to “Reference from the types”">​</a></h1><p>Every export of each package with its comment and its signature: <code>lockstep</code>, <code>@lockstep/server</code>, <code>@lockstep/client</code>, <code>@lockstep/react</code>, <code>@lockstep/testing</code> and <code>@lockstep/local-postgres</code>. These pages are made from the types when the site is built, and are not in the repository: <code>npm run docs</code> in a clone serves them, under &quot;Packages&quot; in the sidebar. Your editor shows the same comments.</p><p>On paper, by subject: <a href="./../api">api.md</a> for <code>lockstep</code>, <a href="./../configuration">configuration.md</a> for the settings, <a href="./../http-api">http-api.md</a> for the server, <a href="./../live">live.md</a> for the client and the hooks, <a href="./../testing-pipelines">testing-pipelines.md</a> for tests.</p></div>`);
}
var _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
	const ssrContext = useSSRContext();
	(ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("reference/README.md");
	return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
var README_default = /*#__PURE__*/ _plugin_vue_export_helper_default(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export { __pageData, README_default as default };
