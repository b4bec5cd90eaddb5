"""What people see and click: real front ends in a real browser.

A package, so that Playwright ends with its last test: until then its event loop counts as running in the main
thread, and tests of other folders could not start one of their own.
"""
