// location.reload() keeps the place on the page. Without news for longer than the patience, the page says so instead.
if (Date.now() / 1000 - {{written}} < {{patience}}) setTimeout(() => location.reload(), {{seconds}} * 1000);
else document.getElementById('live').textContent = 'No news since ' + new Date({{written}} * 1000).toLocaleString() + ': the process may have ended.';
