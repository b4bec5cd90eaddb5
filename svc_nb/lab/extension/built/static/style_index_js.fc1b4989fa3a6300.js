"use strict";(self.rspackChunksvc_nb=self.rspackChunksvc_nb||[]).push([["style_index_js"],{"./node_modules/css-loader/dist/cjs.js!./style/index.css"(e,t,r){var o=r("./node_modules/css-loader/dist/runtime/noSourceMaps.js"),a=r.n(o),s=r("./node_modules/css-loader/dist/runtime/api.js"),n=(r.n(s))()(a());n.push([e.id,`.svc-lab-tab {
  overflow: auto;
  padding: 8px;
  background: var(--jp-layout-color1);
}

.svc-lab-question {
  padding: 8px;
  max-width: 60em;
  color: var(--jp-ui-font-color1);
}

.svc-lab-question p {
  margin: 0 0 8px;
  overflow-wrap: anywhere;
}

.svc-lab-question button.jp-mod-styled {
  height: auto;
  margin: 0 8px 8px 0;
  padding: 6px 12px;
  line-height: 20px;
}

/* As in what svc_nb.panels.parts.panel saves; a notebook that is not trusted is shown without its style sheets. */
.jp-OutputArea-child:has(+ .jp-OutputArea-child .svc-still):not(:has(.svc-panel, .jupyter-widgets > *)) {
  display: none;
}

.jp-OutputArea-child:not(:has(.svc-panel)) + .jp-OutputArea-child:has(.svc-still) {
  display: flex !important;
}

.jp-OutputArea-child:not(:has(.svc-panel)) + .jp-OutputArea-child .svc-still {
  display: block !important;
}

.svc-lab-choice input,
.svc-lab-choice select {
  box-sizing: border-box;
  width: 100%;
}

.svc-lab-choice .jp-select-wrapper:not(.multiple) {
  margin: 8px 0 4px;
  padding: 0;
  width: 100%;
  height: auto;
}

.svc-lab-choice .jp-select-wrapper svg {
  display: none;
}

.svc-lab-choice .jp-select-wrapper select.jp-mod-styled {
  padding: 0;
  height: 12em;
  border: var(--jp-border-width) solid var(--jp-border-color1);
  background: var(--jp-layout-color1);
  color: var(--jp-ui-font-color1);
  font: inherit;
}

.svc-lab-choice p {
  min-height: 1.4em;
  margin: 0;
}

.svc-lab-sidebar {
  overflow-y: auto;
  min-width: 200px;
  background: var(--jp-layout-color1);
  color: var(--jp-ui-font-color1);
  font-size: var(--jp-ui-font-size1);
  line-height: 1.4;
}

.svc-lab-sidebar:focus {
  outline: none;
}

.svc-lab-sidebar .svc-lab-head {
  display: flex;
  align-items: center;
  justify-content: space-between;
  padding: 4px 4px 4px 12px;
  border-bottom: var(--jp-border-width) solid var(--jp-border-color2);
}

.svc-lab-sidebar h2 {
  margin: 0;
  font-size: var(--jp-ui-font-size1);
  font-weight: 600;
}

.svc-lab-sidebar h3 {
  display: flex;
  align-items: center;
  gap: 6px;
  margin: 0 0 4px;
  color: var(--jp-ui-font-color2);
  font-size: var(--jp-ui-font-size0);
  font-weight: 600;
  letter-spacing: 0.1em;
  text-transform: uppercase;
}

.svc-lab-sidebar section {
  padding: 12px;
}

.svc-lab-sidebar p {
  margin: 0;
  overflow-wrap: anywhere;
}

.svc-lab-sidebar ul {
  margin: 0 -12px;
  padding: 0;
  list-style: none;
}

.svc-lab-small {
  color: var(--jp-ui-font-color2);
  font-size: var(--jp-ui-font-size0);
}

.svc-lab-count {
  padding: 0 6px;
  border-radius: 8px;
  background: var(--jp-layout-color2);
  letter-spacing: 0;
}

.svc-lab-connection {
  font-weight: 600;
}

.svc-lab-dot {
  display: inline-block;
  width: 8px;
  height: 8px;
  margin-right: 6px;
  border-radius: 50%;
  background: var(--jp-success-color1);
}

.svc-lab-troubled {
  background: var(--jp-error-color1);
}

.svc-lab-connect {
  margin-top: 8px;
}

.svc-lab-problem {
  margin-top: 8px;
  padding: 6px 8px;
  border-left: 3px solid var(--jp-error-color1);
  background: var(--jp-layout-color2);
}

.svc-lab-quota meter {
  appearance: none;
  display: block;
  width: 100%;
  height: 6px;
  margin: 6px 0 4px;
  border: 0;
  border-radius: 3px;
  background: var(--jp-layout-color3);
}

.svc-lab-quota meter::-webkit-meter-bar {
  height: 6px;
  border: 0;
  border-radius: 3px;
  background: var(--jp-layout-color3);
}

.svc-lab-quota meter::-webkit-meter-optimum-value {
  border-radius: 3px;
  background: var(--jp-brand-color1);
}

.svc-lab-quota meter::-moz-meter-bar {
  border-radius: 3px;
  background: var(--jp-brand-color1);
}

.svc-lab-quota meter.svc-lab-low::-webkit-meter-optimum-value {
  background: var(--jp-warn-color1);
}

.svc-lab-quota meter.svc-lab-low::-moz-meter-bar {
  background: var(--jp-warn-color1);
}

.svc-lab-row {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  column-gap: 8px;
  width: 100%;
  padding: 5px 12px;
  border: 0;
  background: none;
  color: inherit;
  font: inherit;
  text-align: left;
  cursor: pointer;
}

.svc-lab-row:hover {
  background: var(--jp-layout-color2);
}

.svc-lab-row:focus-visible {
  outline: 2px solid var(--jp-brand-color1);
  outline-offset: -2px;
}

.svc-lab-name {
  display: -webkit-box;
  overflow: hidden;
  overflow-wrap: anywhere;
  unicode-bidi: isolate;
  -webkit-box-orient: vertical;
  -webkit-line-clamp: 2;
}

.svc-lab-row .svc-lab-small {
  width: 100%;
}

.svc-lab-icon {
  display: flex;
}

.svc-lab-status button {
  display: flex;
  align-items: center;
  gap: 4px;
  height: 100%;
  padding: 0 4px;
  border: 0;
  background: none;
  color: inherit;
  font: inherit;
  cursor: pointer;
}

@media (forced-colors: active) {
  .svc-lab-quota meter {
    outline: 1px solid CanvasText;
  }
}
`,""]),r.d(t,{},{A:n})},"./node_modules/css-loader/dist/runtime/api.js"(e){e.exports=function(e){var t=[];return t.toString=function(){return this.map(function(t){var r="",o=void 0!==t[5];return t[4]&&(r+="@supports (".concat(t[4],") {")),t[2]&&(r+="@media ".concat(t[2]," {")),o&&(r+="@layer".concat(t[5].length>0?" ".concat(t[5]):""," {")),r+=e(t),o&&(r+="}"),t[2]&&(r+="}"),t[4]&&(r+="}"),r}).join("")},t.i=function(e,r,o,a,s){"string"==typeof e&&(e=[[null,e,void 0]]);var n={};if(o)for(var i=0;i<this.length;i++){var l=this[i][0];null!=l&&(n[l]=!0)}for(var c=0;c<e.length;c++){var d=[].concat(e[c]);o&&n[d[0]]||(void 0!==s&&(void 0===d[5]||(d[1]="@layer".concat(d[5].length>0?" ".concat(d[5]):""," {").concat(d[1],"}")),d[5]=s),r&&(d[2]&&(d[1]="@media ".concat(d[2]," {").concat(d[1],"}")),d[2]=r),a&&(d[4]?(d[1]="@supports (".concat(d[4],") {").concat(d[1],"}"),d[4]=a):d[4]="".concat(a)),t.push(d))}},t}},"./node_modules/css-loader/dist/runtime/noSourceMaps.js"(e){e.exports=function(e){return e[1]}},"./node_modules/style-loader/dist/runtime/injectStylesIntoStyleTag.js"(e){var t=[];function r(e){for(var r=-1,o=0;o<t.length;o++)if(t[o].identifier===e){r=o;break}return r}function o(e,o){for(var a={},s=[],n=0;n<e.length;n++){var i=e[n],l=o.base?i[0]+o.base:i[0],c=a[l]||0,d="".concat(l," ").concat(c);a[l]=c+1;var p=r(d),u={css:i[1],media:i[2],sourceMap:i[3],supports:i[4],layer:i[5]};if(-1!==p)t[p].references++,t[p].updater(u);else{var v=function(e,t){var r=t.domAPI(t);return r.update(e),function(t){t?(t.css!==e.css||t.media!==e.media||t.sourceMap!==e.sourceMap||t.supports!==e.supports||t.layer!==e.layer)&&r.update(e=t):r.remove()}}(u,o);o.byIndex=n,t.splice(n,0,{identifier:d,updater:v,references:1})}s.push(d)}return s}e.exports=function(e,a){var s=o(e=e||[],a=a||{});return function(e){e=e||[];for(var n=0;n<s.length;n++){var i=r(s[n]);t[i].references--}for(var l=o(e,a),c=0;c<s.length;c++){var d=r(s[c]);0===t[d].references&&(t[d].updater(),t.splice(d,1))}s=l}}},"./node_modules/style-loader/dist/runtime/insertBySelector.js"(e){var t={};e.exports=function(e,r){var o=function(e){if(void 0===t[e]){var r=document.querySelector(e);if(window.HTMLIFrameElement&&r instanceof window.HTMLIFrameElement)try{r=r.contentDocument.head}catch(e){r=null}t[e]=r}return t[e]}(e);if(!o)throw Error("Couldn't find a style target. This probably means that the value for the 'insert' parameter is invalid.");o.appendChild(r)}},"./node_modules/style-loader/dist/runtime/insertStyleElement.js"(e){e.exports=function(e){var t=document.createElement("style");return e.setAttributes(t,e.attributes),e.insert(t,e.options),t}},"./node_modules/style-loader/dist/runtime/setAttributesWithoutAttributes.js"(e,t,r){e.exports=function(e){var t=r.nc;t&&e.setAttribute("nonce",t)}},"./node_modules/style-loader/dist/runtime/styleDomAPI.js"(e){e.exports=function(e){if("u"<typeof document)return{update:function(){},remove:function(){}};var t=e.insertStyleElement(e);return{update:function(r){var o,a,s;o="",r.supports&&(o+="@supports (".concat(r.supports,") {")),r.media&&(o+="@media ".concat(r.media," {")),(a=void 0!==r.layer)&&(o+="@layer".concat(r.layer.length>0?" ".concat(r.layer):""," {")),o+=r.css,a&&(o+="}"),r.media&&(o+="}"),r.supports&&(o+="}"),(s=r.sourceMap)&&"u">typeof btoa&&(o+="\n/*# sourceMappingURL=data:application/json;base64,".concat(btoa(unescape(encodeURIComponent(JSON.stringify(s))))," */")),e.styleTagTransform(o,t,e.options)},remove:function(){var e;null===(e=t).parentNode||e.parentNode.removeChild(e)}}}},"./node_modules/style-loader/dist/runtime/styleTagTransform.js"(e){e.exports=function(e,t){if(t.styleSheet)t.styleSheet.cssText=e;else{for(;t.firstChild;)t.removeChild(t.firstChild);t.appendChild(document.createTextNode(e))}}},"./style/index.js"(e,t,r){var o=r("./node_modules/style-loader/dist/runtime/injectStylesIntoStyleTag.js"),a=r.n(o),s=r("./node_modules/style-loader/dist/runtime/styleDomAPI.js"),n=r.n(s),i=r("./node_modules/style-loader/dist/runtime/insertBySelector.js"),l=r.n(i),c=r("./node_modules/style-loader/dist/runtime/setAttributesWithoutAttributes.js"),d=r.n(c),p=r("./node_modules/style-loader/dist/runtime/insertStyleElement.js"),u=r.n(p),v=r("./node_modules/style-loader/dist/runtime/styleTagTransform.js"),b=r.n(v),m=r("./node_modules/css-loader/dist/cjs.js!./style/index.css"),h={};h.styleTagTransform=b(),h.setAttributes=d(),h.insert=l().bind(null,"head"),h.domAPI=n(),h.insertStyleElement=u(),a()(m.A,h),m.A&&m.A.locals&&m.A.locals}}]);