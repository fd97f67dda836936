/* Where a core begins: stack, zeros, main, exit code. */

    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    la      sp, __stack_top
    la      a0, __bss_start
    la      a1, __bss_end
1:  bgeu    a0, a1, 2f
    sw      zero, 0(a0)
    sw      zero, 4(a0)
    sw      zero, 8(a0)
    sw      zero, 12(a0)
    addi    a0, a0, 16
    j       1b
2:  call    sf_start
    call    main
    tail    sf_exit
    .size _start, . - _start
