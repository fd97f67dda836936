/* Where a core begins: stack, zeros, main, exit code. */

    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    la      sp, __stack_top
    la      a0, __bss_start
    la      a1, __bss_end
1:  beq     a0, a1, 2f
    sw      zero, 0(a0)
    addi    a0, a0, 4
    j       1b
2:  call    sf_start
    call    main
    tail    sf_exit
    .size _start, . - _start
