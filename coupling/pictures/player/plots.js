// Signals beside the picture, and the bar of time.
const plots = [], LEFT = 46;
const PREFIXED = /^(Pa|N|W|J|m|V|A|N\.m|Hz|s|m\/s)$/;
const PREFIXES = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ']];
const unitOf = text => text.replaceAll('.', '·').replace('s2', 's²').replace('m3', 'm³').replace('m2', 'm²');
function prefix(greatest, unit) {
  if (PREFIXED.test(unit) && greatest > 0)
    for (const [factor, letter] of PREFIXES)
      if (greatest >= 0.999 * factor) return factor < 1 && greatest >= 0.1 ? [1, ''] : [1 / factor, letter];
  return [1, ''];
}
function shortened(names) {  // what all names end in is said once
  const parts = names.map(name => name.split('.')), tail = parts[0].slice(1).join('.');
  const common = names.length > 1 && tail && parts.every(p => p.slice(1).join('.') === tail);
  return common ? [tail, parts.map(p => p[0])] : ['', names];
}
function element(tag, text = '', parent = null) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (parent) parent.append(made);
  return made;
}
function rangeOf(plot) {
  const all = plot.list.map(k => columns[k]);
  return [Math.min(...all.map(c => c.reduce((a, b) => Math.min(a, b)))), Math.max(...all.map(c => c.reduce((a, b) => Math.max(a, b))))];
}
function scaleTo(plot, [low, high]) {
  const greatest = Math.max(Math.abs(low), Math.abs(high)), unit = scene.columns[plot.list[0]].u;
  const flat = high - low <= 1e-5 * greatest || high === low, room = flat ? 0.1 * greatest || 1 : 0;  // flat within what is stored
  plot.low = low - room;
  plot.high = high + room;
  const [factor, letter] = prefix(greatest, unit);
  plot.factor = factor;
  plot.unit.textContent = letter + unitOf(unit);
}
function addPlot(list) {
  const box = element('div'), caption = element('div', '', box), canvas = element('canvas', '', box), names = element('div', '', caption);
  box.className = 'plot';
  caption.className = 'caption';
  const plot = {list, box, canvas, marks: [], values: [], key: ''};
  const [tail, heads] = shortened(list.map(k => scene.columns[k].n));
  if (tail) element('em', tail, names);
  for (const head of heads) {
    const curve = element('span', '', names);
    curve.className = 'curve';
    plot.marks.push(element('i', '', curve));
    element('b', head, curve);
    plot.values.push(element('output', '', curve));
  }
  plot.unit = element('span', '', caption);
  scaleTo(plot, rangeOf(plot));
  const remove = element('button', '×', caption);
  remove.setAttribute('aria-label', 'remove ' + scene.columns[list[0]].n);
  remove.onclick = () => {
    plots.splice(plots.indexOf(plot), 1);
    box.remove();
  };
  const scrub = event => {
    const area = canvas.getBoundingClientRect();
    stop();
    seek(scene.t0 + (scene.t1 - scene.t0) * clamp((event.clientX - area.left - LEFT) / (area.width - LEFT - 6), 0, 1));
  };
  canvas.onpointerdown = event => {
    canvas.setPointerCapture(event.pointerId);
    scrub(event);
  };
  canvas.onpointermove = event => event.buttons && scrub(event);
  find('#plots').append(box);
  plots.push(plot);
  stale = true;
}
const colourOf = (plot, j) => {
  const own = plot.list.map(k => scene.columns[k].c), distinct = new Set(own).size === own.length;
  return hue(distinct && own[j] !== undefined ? own[j] : j);
};
function curves(plot, w, h, x, y) {
  const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
  canvas.width = w * ratio;
  canvas.height = h * ratio;
  pen.scale(ratio, ratio);
  pen.fillStyle = css('--page');
  pen.beginPath();
  pen.roundRect(0, 0, w, h, 6);
  pen.fill();
  pen.strokeStyle = css('--event');
  pen.globalAlpha = clamp(9 / scene.events.length, 0.13, 0.7);
  pen.setLineDash([2, 3]);
  pen.beginPath();
  for (const t of scene.events) {
    pen.moveTo(x(t), 3);
    pen.lineTo(x(t), h - 3);
  }
  pen.stroke();
  pen.setLineDash([]);
  pen.globalAlpha = 1;
  pen.fillStyle = css('--dim');
  pen.strokeStyle = css('--grid2');
  pen.font = '10.5px system-ui, sans-serif';
  pen.textAlign = 'right';
  pen.textBaseline = 'middle';
  const step = nice((plot.high - plot.low) * plot.factor / 3);
  for (let v = Math.ceil(plot.low * plot.factor / step) * step; v <= plot.high * plot.factor + 1e-9 * step; v += step) {
    const level = Math.abs(v) < 1e-6 * step ? 0 : v, place = y(level / plot.factor);
    pen.fillText(minus(+level.toPrecision(6)), LEFT - 7, clamp(place, 9, h - 9));
    pen.beginPath();
    pen.moveTo(LEFT - 3, place);
    pen.lineTo(w - 6, place);
    pen.stroke();
  }
  plot.list.forEach((k, j) => {
    const values = columns[k], every = Math.max(1, Math.floor(scene.rows / (2 * w)));
    pen.strokeStyle = colourOf(plot, j);
    pen.lineWidth = 1.6;
    pen.lineJoin = 'round';
    pen.beginPath();
    for (let i = 0; i < scene.rows; i += every) {  // of many rows in a pixel the least and the greatest are drawn
      let low = values[i], high = low;
      for (let m = 1; m < every && i + m < scene.rows; m++) {
        low = Math.min(low, values[i + m]);
        high = Math.max(high, values[i + m]);
      }
      pen.lineTo(x(time[i]), y(values[i]));
      if (low !== high && every > 1) {
        pen.lineTo(x(time[i]), y(low));
        pen.lineTo(x(time[i]), y(high));
      }
    }
    pen.stroke();
  });
  return canvas;
}
function drawPlot(plot) {
  const {width: w, height: h} = plot.canvas.getBoundingClientRect();
  if (!w) return;
  const span = scene.t1 - scene.t0 || 1;
  const x = t => LEFT + (w - LEFT - 6) * (t - scene.t0) / span, y = v => h - 8 - (h - 16) * (v - plot.low) / (plot.high - plot.low);
  const key = [w, h, ratio, dark()].join();
  if (plot.key !== key) {
    plot.key = key;
    plot.canvas.width = w * ratio;
    plot.canvas.height = h * ratio;
    plot.marks.forEach((mark, j) => mark.style.background = colourOf(plot, j));
    plot.base = curves(plot, w, h, x, y);
  }
  const pen = plot.canvas.getContext('2d');
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, plot.canvas.width, plot.canvas.height);
  pen.drawImage(plot.base, 0, 0);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.strokeStyle = css('--accent');
  pen.lineWidth = 1.4;
  pen.beginPath();
  pen.moveTo(x(now), 2);
  pen.lineTo(x(now), h - 2);
  pen.stroke();
  plot.list.forEach((k, j) => {
    pen.fillStyle = colourOf(plot, j);
    pen.strokeStyle = css('--panel');
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.arc(x(now), y(at(k)), 4, 0, FULL);
    pen.fill();
    pen.stroke();
    plot.values[j].textContent = written(at(k) * plot.factor);
  });
}
function drawTrack() {
  const canvas = find('#track canvas'), {width: w, height: h} = canvas.getBoundingClientRect(), pen = canvas.getContext('2d');
  canvas.width = w * ratio;
  canvas.height = h * ratio;
  pen.scale(ratio, ratio);
  const span = scene.t1 - scene.t0 || 1, x = t => 8 + (w - 16) * (t - scene.t0) / span;
  const bar = (from, to, colour, thick) => {
    pen.lineCap = 'round';
    pen.lineWidth = thick;
    pen.strokeStyle = colour;
    pen.beginPath();
    pen.moveTo(from, h / 2);
    pen.lineTo(to, h / 2);
    pen.stroke();
  };
  bar(x(scene.t0), x(scene.t1), css('--line'), 5);
  bar(x(scene.t0), x(now), css('--accent'), 5);
  pen.strokeStyle = css('--event');
  pen.lineWidth = 1.5;
  pen.globalAlpha = clamp(25 / scene.events.length, 0.45, 1);
  pen.beginPath();
  for (const t of scene.events) {
    pen.moveTo(x(t), h / 2 - 7);
    pen.lineTo(x(t), h / 2 + 7);
  }
  pen.stroke();
  pen.globalAlpha = 1;
  pen.fillStyle = css('--accent');
  pen.strokeStyle = css('--panel');
  pen.lineWidth = 2.5;
  pen.beginPath();
  pen.arc(x(now), h / 2, 8, 0, FULL);
  pen.fill();
  pen.stroke();
}
